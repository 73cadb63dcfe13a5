import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { type FormValues, textOf } from '../../shell/form-values.ts';
import { serverTimeOf } from '../../shell/server-time-of.ts';
import { fieldServerTime } from '../../ui/index.ts';

export type ValidityName = 'valid_from' | 'valid_until';

/** As it is typed: empty for none. */
export function shownValidity(strategy: Strategy | null, name: ValidityName): string {
  const time = strategy?.[name] ?? null;
  return time === null ? '' : fieldServerTime(time);
}

/** In the form of the API. A day alone begins with its first second and ends with its last; what was not touched goes back as it came. */
export function validityOf(values: FormValues, name: ValidityName, strategy: Strategy | null): string | null {
  const text = textOf(values, name);
  if (text === '') return null;
  if (strategy !== null && text === shownValidity(strategy, name)) return strategy[name];
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  return isDay && name === 'valid_from' ? `${text}T00:00:00` : serverTimeOf(text);
}
