import type { ConfigurationName } from '../../../contract/configuration/configuration-fields.ts';

export type Values = Readonly<Record<string, unknown>>;
/** New values by setting; null puts a setting back to a default that only the server knows. */
export type Draft = Readonly<Partial<Record<ConfigurationName, unknown>>>;

export interface Change {
  readonly name: ConfigurationName;
  readonly from: unknown;
  readonly to: unknown;
}

/** The draft with one more value; one that the server has already is no change. */
export function staged(draft: Draft, values: Values, name: ConfigurationName, to: unknown): Draft {
  const { [name]: _before, ...others } = draft;
  return to === values[name] ? others : { ...others, [name]: to };
}

export function without(draft: Draft, name: ConfigurationName): Draft {
  const { [name]: _gone, ...others } = draft;
  return others;
}

/** What saving would change, given what the server has: values that it got from somebody else are no change any more. */
export function changesOf(draft: Draft, values: Values): readonly Change[] {
  return (Object.entries(draft) as [ConfigurationName, unknown][])
    .map(([name, to]) => ({ name, from: values[name], to }))
    .filter(({ from, to }) => from !== to);
}

/** What is sent for them. */
export function bodyOf(changes: readonly Change[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(changes.map(({ name, to }) => [name, to]));
}

/** Kept while the window lives, so that a look at another screen loses nothing. */
const kept = new Map<string, Draft>();
export const keptDraft = (connectionId: string): Draft => kept.get(connectionId) ?? {};
export function keepDraft(connectionId: string, draft: Draft): void {
  kept.set(connectionId, draft);
}
