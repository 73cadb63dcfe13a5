import { ArrowDown, ArrowUp, WifiOff } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import { ColourMark } from '../../shell/colour-mark.tsx';
import { connectionWord } from '../../shell/connection-words.ts';
import { goTo } from '../../shell/shell-store.ts';
import { showList } from '../../shell/tell.ts';
import { t } from '../../texts/index.ts';
import { formatClock, formatRelative, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';
import {
  type FleetColumn,
  type FleetGroup,
  type FleetRow,
  type FleetSort,
  fleetColumns,
  groupRows,
} from './fleet-rows.ts';
import { countText, words } from './fleet-words.ts';
import { showFailed } from './show-failed.ts';

const numbers: readonly FleetColumn[] = ['overdue', 'running', 'failed', 'full'];

/** A line a server; each figure leads to the screen that explains it. */
export function FleetTable(props: { readonly rows: readonly FleetRow[]; readonly nowMs: number }) {
  const [sort, setSort] = useState<FleetSort>({ by: 'name', order: 'ascending' });
  const groups = groupRows(props.rows, sort);
  // One heading for all says nothing.
  const hasHeads = groups.some(({ name }) => name !== '');
  const sortBy = (by: FleetColumn) =>
    setSort((before) => ({
      by,
      order: before.by === by && before.order === 'ascending' ? 'descending' : 'ascending',
    }));
  return (
    <table className="fleet" aria-label={words.table}>
      <thead>
        <tr>
          {fleetColumns.map((column) => (
            <th
              key={column}
              scope="col"
              aria-sort={sort.by === column ? sort.order : 'none'}
              className={numbers.includes(column) ? 'fleet-figure' : undefined}
            >
              <button type="button" onClick={() => sortBy(column)}>
                {words.columns[column]}
                {sort.by === column && <SortMark order={sort.order} />}
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <Fragment key={group.name}>
            {hasHeads && <GroupHead group={group} />}
            {group.rows.map((row) => (
              <ServerRow key={row.connection.id} row={row} nowMs={props.nowMs} />
            ))}
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

function SortMark(props: { readonly order: FleetSort['order'] }) {
  const Icon = props.order === 'ascending' ? ArrowUp : ArrowDown;
  return <Icon size={12} aria-hidden />;
}

function GroupHead(props: { readonly group: FleetGroup }) {
  const { name, rows } = props.group;
  return (
    <tr className="fleet-group">
      <th scope="rowgroup" colSpan={fleetColumns.length}>
        {name === '' ? words.noGroup : showHidden(name)} <span className="caption">{rows.length}</span>
      </th>
    </tr>
  );
}

function ServerRow(props: { readonly row: FleetRow; readonly nowMs: number }) {
  const { connection, health, isStale } = props.row;
  const { id } = connection;
  const name = showHidden(connection.name);
  const { word, meaning } = connectionWord(connection);
  const facts = health?.facts ?? null;
  const failing = connection.state.phase === 'connected' && (health?.problem ?? null) !== null;
  const open = (section: string) => goTo({ connectionId: id, section });
  return (
    <tr className={isStale ? 'fleet-stale' : undefined}>
      <th scope="row">
        <button type="button" className="fleet-name" onClick={() => open('Overview')} title={name}>
          <ColourMark colour={connection.colour} />
          <span>{name}</span>
        </button>
      </th>
      <td>
        {failing ? (
          <StatusBadge meaning="error" word={words.serverAway} />
        ) : (
          <StatusBadge meaning={meaning} word={word} />
        )}
      </td>
      <Figure
        server={name}
        what="overdue"
        count={facts?.overdue?.count ?? null}
        meaning="warning"
        open={() => open('Overview')}
      />
      <Figure
        server={name}
        what="running"
        count={facts?.running ?? null}
        meaning="running"
        open={() => showList(id, 'Tasks', {})}
      />
      <Figure
        server={name}
        what="failed"
        count={facts?.failed?.count ?? null}
        isMore={facts?.failed?.isMore ?? false}
        meaning="error"
        open={() => showFailed(props.row)}
      />
      <Figure
        server={name}
        what="full"
        count={facts?.nearlyFull?.length ?? null}
        meaning="warning"
        open={() => open('Pools')}
      />
      <td>
        <Answered row={props.row} nowMs={props.nowMs} />
      </td>
    </tr>
  );
}

function Figure(props: {
  readonly server: string;
  /** What is counted. */
  readonly what: 'overdue' | 'running' | 'failed' | 'full';
  readonly count: number | null;
  readonly isMore?: boolean;
  readonly meaning: 'warning' | 'error' | 'running';
  readonly open: () => void;
}) {
  const { count } = props;
  const cell = (content: ReactNode, title?: string) => (
    <td className="fleet-figure" title={title}>
      {content}
    </td>
  );
  if (count === null) return cell(thinDash, words.notTold);
  const text = countText(count, props.isMore);
  if (count === 0) return cell(<span className="muted">{text}</span>);
  return cell(
    <button
      type="button"
      className={`fleet-link meaning-${props.meaning}`}
      aria-label={t(`fleet.figures.${props.what}`, {
        // "1+" are several.
        count: props.isMore && count === 1 ? 2 : count,
        figure: text,
        server: props.server,
      })}
      onClick={props.open}
    >
      {text}
    </button>,
  );
}

function Answered(props: { readonly row: FleetRow; readonly nowMs: number }) {
  const { health, isStale } = props.row;
  const at = health?.answeredAt ?? null;
  if (at === null) return <span className="muted">{words.noAnswerYet}</span>;
  if (!isStale) return <span className="muted">{formatRelative(at, props.nowMs)}</span>;
  const isOld = props.nowMs - at >= 86_400_000;
  return (
    <span className="fleet-stale-mark" title={words.staleTitle}>
      <WifiOff size={14} aria-hidden />
      {t('fleet.stale', { time: isOld ? formatRelative(at, props.nowMs) : formatClock(at) })}
    </span>
  );
}
