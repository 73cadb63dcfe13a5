import type { Connection } from '../../../contract/desktop/connection.ts';
import type { ServerHealth } from '../../../contract/desktop/fleet.ts';
import { standingOf } from '../../../contract/desktop/health.ts';

export interface FleetRow {
  readonly connection: Connection;
  readonly health: ServerHealth | undefined;
  /** The figures are from before: the server is away, or its last look failed. */
  readonly isStale: boolean;
}

export interface FleetGroup {
  /** Empty for connections without a group. */
  readonly name: string;
  readonly rows: readonly FleetRow[];
}

export const fleetColumns = ['name', 'state', 'overdue', 'running', 'failed', 'full', 'answered'] as const;
export type FleetColumn = (typeof fleetColumns)[number];
export interface FleetSort {
  readonly by: FleetColumn;
  readonly order: 'ascending' | 'descending';
}

export function fleetRow(connection: Connection, health: ServerHealth | undefined): FleetRow {
  const isAnswering = connection.state.phase === 'connected' && (health?.problem ?? null) === null;
  return { connection, health, isStale: !isAnswering && (health?.answeredAt ?? null) !== null };
}

/** Groups by name, as in the navigation those without one first; within each the rows as they are sorted. */
export function groupRows(rows: readonly FleetRow[], sort: FleetSort): readonly FleetGroup[] {
  const names = [...new Set(rows.map(({ connection }) => connection.group))].sort(
    (a, b) => Number(a !== '') - Number(b !== '') || a.localeCompare(b),
  );
  const direction = sort.order === 'ascending' ? 1 : -1;
  const sorted = [...rows].sort((a, b) => direction * compare(a, b, sort.by));
  return names.map((name) => ({
    name,
    rows: sorted.filter(({ connection }) => connection.group === name),
  }));
}

function compare(a: FleetRow, b: FleetRow, by: FleetColumn): number {
  const byName = a.connection.name.localeCompare(b.connection.name);
  if (by === 'name') return byName;
  return sortValue(a, by) - sortValue(b, by) || byName;
}

const standings = ['lost', 'look', 'unknown', 'well'] as const;

/** What is not known sorts below everything that is. */
function sortValue({ connection, health }: FleetRow, by: Exclude<FleetColumn, 'name'>): number {
  const facts = health?.facts;
  switch (by) {
    case 'state':
      return standings.indexOf(standingOf(connection.state, health));
    case 'overdue':
      return facts?.overdue?.count ?? -1;
    case 'running':
      return facts?.running ?? -1;
    case 'failed':
      return facts?.failed?.count ?? -1;
    case 'full':
      return facts?.nearlyFull?.length ?? -1;
    case 'answered':
      return health?.answeredAt ?? -1;
  }
}

export interface FleetSummary {
  readonly servers: number;
  readonly well: number;
  /** Need a look: something is wrong there, or they do not answer. */
  readonly look: number;
}

export function summarize(rows: readonly FleetRow[]): FleetSummary {
  const standing = rows.map(({ connection, health }) => standingOf(connection.state, health));
  const count = (wanted: readonly string[]) => standing.filter((one) => wanted.includes(one)).length;
  // Who has to sign in is told of nothing; that is a look too.
  const waiting = rows.filter(({ connection }) => connection.state.phase === 'signIn').length;
  return { servers: rows.length, well: count(['well']), look: count(['lost', 'look']) + waiting };
}
