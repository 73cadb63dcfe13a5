import { parseDuration } from '../../contract/words.ts';
import { t } from '../texts/index.ts';
import { showHidden } from '../ui/index.ts';

/** How long something is kept, in the language of the window: `1 месяц` for `1 month`. What is no duration stays as the server wrote it. */
export function periodWords(text: string): string {
  const duration = parseDuration(text);
  return duration === undefined
    ? showHidden(text)
    : t(`common.periods.${duration.unit}`, { count: duration.count });
}
