import type { ReactNode } from 'react';
import { t } from '../texts/index.ts';
import { Button, cutMiddle, type Meaning, StatusBadge, showHidden } from '../ui/index.ts';
import { showIn } from './tell.ts';

const shownMost = 20;

export interface Trouble {
  readonly key: number;
  readonly meaning: Meaning;
  readonly word: string;
  readonly when: ReactNode;
  /** Of which resource; undefined: that is on the screen already. */
  readonly what: ReactNode | undefined;
  readonly reason: ReactNode;
  readonly remedy: string;
  readonly ways: readonly Way[];
}

export interface Way {
  readonly text: string;
  /** With its object, for those who hear it alone. */
  readonly label: string;
  readonly open: () => void;
}

/** What needs a person, one below another: since when, what, why, what to do, and the ways there. */
export function TroubleLines(props: { readonly troubles: readonly Trouble[] }) {
  const { troubles } = props;
  return (
    <ul className="lines overdue-lines">
      {troubles.slice(0, shownMost).map((trouble) => (
        <li key={trouble.key}>
          <div className="overdue-text">
            <span className="overdue-head">
              <StatusBadge meaning={trouble.meaning} word={trouble.word} />
              {trouble.when}
            </span>
            {trouble.what !== undefined && <span>{trouble.what}</span>}
            <span className="selectable">{trouble.reason}</span>
            <span className="muted">{trouble.remedy}</span>
          </div>
          <div className="overdue-ways">
            {trouble.ways.map(({ text, label, open }) => (
              <Button key={text} label={label} onClick={open}>
                {text}
              </Button>
            ))}
          </div>
        </li>
      ))}
      {troubles.length > shownMost && (
        <li className="muted">{t('shell.list.andMore', { rest: troubles.length - shownMost })}</li>
      )}
    </ul>
  );
}

export function ResourcePath(props: { readonly resource: string }) {
  const resource = showHidden(props.resource);
  return (
    <span className="mono" title={resource}>
      {cutMiddle(resource, 70)}
    </span>
  );
}

/** The way to the task that tells more; none where the server keeps it no longer. */
export function wayToTask(connectionId: string, taskId: number | null): readonly Way[] {
  if (taskId === null) return [];
  const label = t('shell.showTaskOf', { id: taskId });
  return [{ text: t('shell.showTask'), label, open: () => showIn(connectionId, 'Tasks', taskId) }];
}
