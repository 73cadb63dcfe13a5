import { formatDuration, parseDuration } from '../../contract/words.ts';

/** The one stored form of a duration that the contract has already accepted: `1 years` becomes `1 year`. */
export function normaliseDuration(text: string): string {
  const duration = parseDuration(text);
  return duration ? formatDuration(duration) : text;
}
