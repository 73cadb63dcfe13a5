import { type ReactNode, useId, useState } from 'react';
import { t } from '../../texts/index.ts';
import { Button } from '../button.tsx';
import { ColumnHead } from '../column-head.tsx';

/** A picture under its title, with the values of one day beside it; its table holds the same for who cannot see it. */
export function ChartFigure(props: {
  readonly title: string;
  readonly readout: string;
  readonly note: string | null;
  /** Null: the picture is a table itself. Rows newest first. */
  readonly table: {
    readonly head: readonly string[];
    readonly rows: readonly { readonly day: string; readonly cells: readonly string[] }[];
  } | null;
  readonly children: ReactNode;
}) {
  const [isTable, setTable] = useState(false);
  const title = useId();
  const { table } = props;
  return (
    <figure className="chart" aria-labelledby={title}>
      <figcaption className="chart-head">
        <h3 id={title}>{props.title}</h3>
        <span className="chart-readout caption">{isTable ? '' : props.readout}</span>
        {table !== null && (
          <Button
            kind="quiet"
            label={t(isTable ? 'charts.pictureOf' : 'charts.tableOf', { title: props.title })}
            onClick={() => setTable(!isTable)}
          >
            {t(isTable ? 'charts.asPicture' : 'charts.asTable')}
          </Button>
        )}
      </figcaption>
      {isTable && table !== null ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by the keyboard
        <div className="chart-table" tabIndex={0} role="region" aria-label={props.title}>
          <table>
            <caption className="visually-hidden">{props.title}</caption>
            <thead>
              <tr>
                <ColumnHead sorted="descending">{t('charts.day')}</ColumnHead>
                {table.head.map((name) => (
                  <ColumnHead key={name}>{name}</ColumnHead>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.rows.map(({ day, cells }) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  {cells.map((cell, index) => (
                    <td key={table.head[index]}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        props.children
      )}
      {props.note !== null && <p className="caption">{props.note}</p>}
    </figure>
  );
}
