import type { ReactNode } from 'react';
import { Capped } from '../ui/index.ts';

/** What the details are about. */
export function DetailsHead(props: { readonly children: ReactNode; readonly isMono?: boolean }) {
  return (
    <div className="details-head">
      <h2 className={props.isMono === true ? 'mono' : undefined}>
        <Capped>{props.children}</Capped>
      </h2>
    </div>
  );
}

/** A list of facts: name and value. Values that are missing are a thin dash. */
export function Facts(props: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {props.facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>
            <Capped>{value === null || value === undefined || value === '' ? '–' : value}</Capped>
          </dd>
        </div>
      ))}
    </dl>
  );
}
