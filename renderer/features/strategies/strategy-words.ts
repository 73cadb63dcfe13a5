import { counted } from '../../ui/index.ts';

export const words = {
  strategyZone: "The strategy's time zone; its schedules are wall times of it",
  gap: (from: string, to: string) =>
    `the clocks go from ${from} to ${to}: what is due between them runs now, once`,
  repeat: (time: string, turn: 'first' | 'second') => `${time} comes twice; this is the ${turn} time`,
  change: (day: string, from: string, to: string) => `${day}: the clocks go from ${from} to ${to}`,
  noRun: 'No schedule falls due.',
  off: 'It is off: no copies are made by it.',
  noRules: 'No rule is bound to it, so its runs make no copy.',
  noneOfKind: (kind: string, days: number) => `No ${kind} copy falls due in the next ${days} days.`,
  fewOfKind: (count: number, days: number) => `${counted(count, 'run')} in the next ${days} days.`,
  asSaved: 'Next runs, as the strategy is saved',
  unsaved: 'The schedules were changed. Save to see their runs; below are those of the saved ones.',
  followsSaving: 'The preview follows saving: change a schedule, save, and its runs are shown.',
  ahead: 'Next runs, before anything is saved',
  notSaved: (zone: string) => `Schedules are wall times of ${zone}. Nothing is saved yet.`,
  asking: 'The server is asked…',
  correct: 'Correct what is marked to see the runs.',
  noSchedule: 'There is no schedule, so nothing runs.',
  neverAgain: 'No run falls due any more: the strategy is not valid any longer.',
  cannotPreview: (reason: string) => `The runs cannot be shown. ${reason}`,
  newStrategy: 'The next ten runs are shown in the details of the strategy as soon as it is created.',
  noStrategy:
    'There is no strategy. One says when copies are made, where they go and how long they are kept.',
  allOff: 'Every strategy is off, so nothing runs.',
  quietWeek: 'Nothing runs in the coming seven days.',
  offOnes: (names: string) => `Off, so not in the week: ${names}`,
  nothing: 'Nothing runs.',
  cut: 'The server tells the first thousand runs only.',
  openHint: 'Enter opens a strategy',
} as const;
