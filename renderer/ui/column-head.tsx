import type { ReactNode } from 'react';

/** The head of a column of a table that stands in one order. `sorted`: that order is by this column. */
export function ColumnHead(props: {
  readonly children: ReactNode;
  readonly sorted?: 'ascending' | 'descending';
  readonly className?: string;
  readonly title?: string;
}) {
  return (
    <th scope="col" aria-sort={props.sorted ?? 'none'} className={props.className} title={props.title}>
      {props.children}
    </th>
  );
}
