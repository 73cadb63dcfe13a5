import { counted, formatCount, showHidden } from '../../ui/index.ts';

const copies = (count: number) => counted(count, 'copy', 'copies');

export const words = {
  chain: (needed: number, dependent: number) => {
    if (needed === 0 && dependent === 0) return 'It is whole, and no other copy needs it.';
    const needs = needed === 0 ? 'It is whole' : `It needs ${copies(needed)}`;
    if (dependent === 0) return `${needs}; no other copy needs it.`;
    return `${needs}; ${copies(dependent)} ${dependent === 1 ? 'needs' : 'need'} it.`;
  },
  baseMissing: (id: number | null) => `builds on copy ${id}, which is not there`,
  looking: 'Looking what goes with it…',
  goesWith: (count: number) =>
    `${counted(count, 'more copy goes', 'more copies go')}, because ${count === 1 ? 'it builds' : 'they build'} on what is deleted`,
  total: (count: number, bytes: string) =>
    `${copies(count)} ${count === 1 ? 'goes' : 'go'}, ${bytes} are freed.`,
  totalUnknown: (count: number, bytes: string, unknown: number) =>
    `${copies(count)} go, ${bytes} are freed and what ${copies(unknown)} take, which cannot be looked at.`,
  cannotUndo: 'This cannot be undone.',
  whatStays: 'Newest copy that stays',
  noneStays: (resource: string, client: string) =>
    `No copy of ${showHidden(resource)} of ${showHidden(client)} stays. It cannot be restored any more.`,
  onlyBroken: (resource: string, client: string) =>
    `Of ${showHidden(resource)} of ${showHidden(client)} only broken copies stay. It cannot be restored any more.`,
  notKnown: (resource: string, client: string, reason: string) =>
    `It cannot be found out whether a copy of ${showHidden(resource)} of ${showHidden(client)} stays. ${showHidden(reason)}`,
  understand: (count: number) =>
    count === 1
      ? 'I know that nothing of this can be restored afterwards'
      : `I know that nothing of these ${count} resources can be restored afterwards`,
  tickFirst: 'Tick that you know what is lost',
  retentionHint: 'What will be there, and why',
  noOutlook: 'What will be there cannot be shown',
  nothingToKeep: 'There is no copy yet, so nothing has to be kept.',
  moment: 'Moment',
  dateAndTime: 'Date and time',
  localTime: 'Local time of the server.',
  ahead: 'Looked ahead',
  noMoment: 'must be written like 2030-01-31 12:00',
  past: 'must not lie in the past',
  isNow: 'It is now',
  noEarlier: 'No copy goes before this moment',
  noLater: 'No copy goes after this moment',
  thereNow: (count: number, bytes: string) => `${copies(count)} (${bytes}) are there now.`,
  thereThen: (at: string, kept: number, all: number, bytes: string) =>
    `At ${at}, ${formatCount(kept)} of today’s ${copies(all)} (${bytes}) are there.`,
  goes: (count: number, bytes: string) =>
    `${copies(count)} ${count === 1 ? 'is' : 'are'} gone, ${bytes} are freed.`,
  firstOnly: (shown: number, total: number) =>
    `The first ${formatCount(shown)} of ${copies(total)} are shown and counted; use the list for the others.`,
  nothingGoes: 'Nothing is gone at this moment.',
  nothingStays: 'Nothing is there at this moment.',
  noneLeft: 'nothing left',
  ofGroup: (kept: number, all: number, bytes: string) =>
    kept === all ? `${copies(all)}, ${bytes}` : `${formatCount(kept)} of ${copies(all)}, ${bytes}`,
  goesAt: (time: string) => `Goes at ${time}.`,
  unknown: 'It cannot be found out what goes with them, so nothing is deleted.',
} as const;
