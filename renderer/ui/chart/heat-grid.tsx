import { type KeyboardEvent, useRef, useState } from 'react';
import { ColumnHead } from '../column-head.tsx';
import { formatShortCount } from '../format.ts';
import { type Meaning, MeaningIcon } from '../status.tsx';

export interface HeatRow {
  readonly id: string;
  /** Stands beside the colour. */
  readonly word: string;
  readonly meaning: Meaning;
  /** One for each day. */
  readonly counts: readonly number[];
}

/**
 * How often something happened on each day: a row an outcome, a column a day, the number in its field where it fits.
 * One tab stop; arrows, Home and End move, and every field tells itself.
 */
export function HeatGrid(props: {
  readonly label: string;
  /** What the rows are. */
  readonly rowsLabel: string;
  readonly days: readonly string[];
  readonly rows: readonly HeatRow[];
  /** What a field says: `2030-01-31, Failed: 3`. */
  readonly tell: (day: string, row: HeatRow, count: number) => string;
  /** The day and what is told of it, when the focus or the pointer is there; null when neither is. */
  readonly onTell: (text: string | null) => void;
}) {
  const { days, rows } = props;
  const table = useRef<HTMLTableElement>(null);
  const [place, setPlace] = useState({ row: 0, day: days.length - 1 });
  const here = {
    row: Math.min(place.row, rows.length - 1),
    day: Math.min(place.day, days.length - 1),
  };
  const hasNumbers = days.length <= 31;
  const onKeyDown = (event: KeyboardEvent) => {
    const to = {
      ArrowLeft: { ...here, day: here.day - 1 },
      ArrowRight: { ...here, day: here.day + 1 },
      ArrowUp: { ...here, row: here.row - 1 },
      ArrowDown: { ...here, row: here.row + 1 },
      Home: { ...here, day: 0 },
      End: { ...here, day: days.length - 1 },
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = {
      row: Math.min(rows.length - 1, Math.max(0, to.row)),
      day: Math.min(days.length - 1, Math.max(0, to.day)),
    };
    table.current?.querySelector<HTMLElement>(`[data-place="${next.row}-${next.day}"]`)?.focus();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose fields can be moved between
    <table className="heat" role="grid" aria-label={props.label} ref={table} onKeyDown={onKeyDown}>
      <thead>
        <tr>
          <ColumnHead>
            <span className="visually-hidden">{props.rowsLabel}</span>
          </ColumnHead>
          {days.map((day) => (
            <ColumnHead key={day}>
              <span className="visually-hidden">{day}</span>
              <span aria-hidden>{dayMark(day, hasNumbers)}</span>
            </ColumnHead>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, line) => {
          const most = Math.max(1, ...row.counts);
          return (
            <tr key={row.id}>
              <th scope="row">
                <span className="badge">
                  <MeaningIcon meaning={row.meaning} />
                  {row.word}
                </span>
              </th>
              {days.map((day, index) => {
                const count = row.counts[index] ?? 0;
                const text = props.tell(day, row, count);
                const isHere = here.row === line && here.day === index;
                return (
                  <td
                    key={day}
                    data-place={`${line}-${index}`}
                    tabIndex={isHere ? 0 : -1}
                    aria-label={text}
                    className={`heat-field${count === 0 ? '' : ` heat-${row.meaning}`}`}
                    style={count === 0 ? undefined : shade(count / most)}
                    onFocus={() => {
                      setPlace({ row: line, day: index });
                      props.onTell(text);
                    }}
                    onBlur={() => props.onTell(null)}
                    onPointerEnter={() => props.onTell(text)}
                    onPointerLeave={() => props.onTell(null)}
                  >
                    {hasNumbers && count > 0 ? formatShortCount(count) : ''}
                  </td>
                );
              })}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** A custom property that the style sheet mixes the colour by: never so strong that the number could not be read. */
function shade(share: number): Record<string, string> {
  return { '--heat': `${Math.round(14 + 26 * Math.sqrt(share))}%` };
}

/** The day of the month; where fields are narrow, that of Mondays only. */
function dayMark(day: string, isWide: boolean): string {
  const isMonday = new Date(`${day}T00:00:00Z`).getUTCDay() === 1;
  return isWide || isMonday ? String(Number(day.slice(8))) : '';
}
