import type { NearlyFullPool } from '../../../contract/desktop/fleet.ts';
import {
  counted,
  cutMiddle,
  formatBytes,
  formatCount,
  formatServerTime,
  showHidden,
} from '../../ui/index.ts';

export const words = {
  title: 'All servers',
  table: 'Servers',
  lookNow: 'Look again',
  addConnection: 'Add connection',
  more: 'Connections',
  importFrom: 'Import connections…',
  exportTo: 'Export connections…',
  openBundle: 'Open support bundle…',
  columns: {
    name: 'Server',
    state: 'State',
    overdue: 'Overdue',
    running: 'Running',
    failed: 'Failed, last day',
    full: 'Pools nearly full',
    answered: 'Last answer',
  },
  noGroup: 'Without a group',
  notTold: 'The account may not see this, or the server does not tell it',
  noAnswerYet: 'no answer yet',
  stale: (when: string) => `stale, from ${when}`,
  staleTitle: 'What is shown is from the last answer of the server',
  well: (servers: number) => (servers === 1 ? 'All is well.' : `All is well on ${servers} servers.`),
  toldBy: (told: number, servers: number) =>
    `${told} of ${counted(servers, 'server')} ${told === 1 ? 'says' : 'say'} that all is well; nothing is known of the others yet.`,
  look: (count: number, servers: number) =>
    servers === 1 ? 'The server needs a look.' : `${count} of ${servers} servers need a look.`,
  needsLook: 'Needs a look',
  show: 'Show',
  showWhat: (what: string, server: string) => `Show ${what} of ${server}`,
  andMore: (count: number, what: string) => `and ${counted(count, what)} more`,
  serverAway: 'does not answer',
} as const;

export function failedText(task: {
  readonly type: string;
  readonly resource: string;
  readonly reason: string;
}): string {
  const reason = task.reason === '' ? 'failed' : `failed: ${showHidden(task.reason)}`;
  return `${task.type} of ${cutMiddle(showHidden(task.resource), 60)} ${reason}`;
}

export function overdueText(run: {
  readonly resource: string;
  readonly client: string;
  readonly strategy: string;
  readonly due: string;
}): string {
  const resource = cutMiddle(showHidden(run.resource), 60);
  return `${resource} of ${showHidden(run.client)} by ${showHidden(run.strategy)} is overdue since ${showHidden(formatServerTime(run.due))}`;
}

export function fullText(pool: NearlyFullPool): string {
  return `Pool ${showHidden(pool.name)} is nearly full: ${formatBytes(pool.freeBytes)} free of ${formatBytes(pool.totalBytes)}`;
}

export function countText(count: number, isMore = false): string {
  return `${formatCount(count)}${isMore ? '+' : ''}`;
}
