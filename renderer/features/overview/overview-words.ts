import { counted, formatCount } from '../../ui/index.ts';

export const words = {
  well: 'All is well',
  look: 'Needs a look',
  noFailures: 'No failures',
  failures: (count: number, isMore: boolean) =>
    isMore ? `${count} or more failed tasks` : counted(count, 'failed task'),
  running: 'Running or waiting',
  kept: 'Copies kept',
  full: 'Pools nearly full',
  none: 'none',
  overdueRules: 'Overdue rules',
  overdue: (count: number) =>
    count === 1
      ? 'One rule is overdue: its last run made no copy.'
      : `${formatCount(count)} rules are overdue: their last runs made no copy.`,
  failedProofs: 'Copies not restorable',
  notRestorable: (count: number) =>
    count === 1
      ? 'One copy could not be proven restorable: files of it did not come back as they were.'
      : `${formatCount(count)} copies could not be proven restorable: files of them did not come back as they were.`,
  runningNow: 'Running now',
  nothingRuns: 'Nothing runs.',
  failedLately: 'Failed in the last day',
  newest: 'Newest copies',
  noCopy: 'There is no copy yet.',
  noPool: 'There is no pool.',
} as const;
