import { t, textsOf, wordFor } from '../../texts/index.ts';
import { showHidden } from '../../ui/index.ts';
import type { PickLine, PickPlan } from './pick-plan.ts';

const words = textsOf('tapeBoard');
const placeNames = { drive: 'tapeBoard.drive', mail: 'tapeBoard.mail', storage: 'tapeBoard.slot' } as const;

export function whereIs({ place, isThere, isPlaceUnknown }: PickLine): string {
  if (place === null && isThere) return t('tapeBoard.pick.isThere');
  if (place === null) return wordFor(words.locations, isPlaceUnknown ? 'unknown' : 'outside');
  const name = Object.hasOwn(placeNames, place.type)
    ? placeNames[place.type as keyof typeof placeNames]
    : null;
  return name === null ? showHidden(wordFor(words.locations, place.type)) : t(name, { number: place.number });
}

const todos = {
  nothing: 'tapeBoard.pick.nothingToDo',
  inDrive: 'tapeBoard.pick.inDrive',
  bring: 'tapeBoard.pick.bring',
  bringByHand: 'tapeBoard.pick.bringByHand',
} as const;

export const todoWord = ({ todo }: PickLine): string => t(todos[todo]);

/** What is still to be done, in sentences. */
export function planLines(plan: PickPlan): readonly string[] {
  const { missing, rounds, room, isByHand } = plan;
  if (plan.lines.length === 0) return [t('tapeBoard.pick.noneLeft')];
  if (missing.length === 0) return [t('tapeBoard.pick.allThere')];
  const head = t('tapeBoard.pick.summary', { count: missing.length });
  if (rounds === null) return [head, t('tapeBoard.pick.noRoom')];
  if (isByHand) return [head, t('tapeBoard.pick.byHand')];
  return room === 0 ? [head] : [head, t('tapeBoard.pick.rounds', { count: rounds, room })];
}

/** The list as text, for a file or an e-mail. */
export function pickText(heading: string, of: string, plan: PickPlan): string {
  const rows = plan.lines.map((line) =>
    [
      `[${line.isThere ? 'x' : ' '}]`,
      String(line.order).padStart(3),
      showHidden(line.barcode).padEnd(12),
      whereIs(line).padEnd(20),
      todoWord(line),
    ].join('  '),
  );
  return [heading, of, '', ...planLines(plan), '', ...rows, ''].join('\n');
}
