import { type RawBuilder, sql } from 'kysely';

/**
 * Very many ids as one parameter, for `… in`: to build and compile a statement with a parameter for each takes longer
 * than the database needs to find the rows. Both databases read the keys of an object with the same words.
 */
export function idList(ids: readonly number[]): RawBuilder<number> {
  const json = `{${ids.map((id) => `"${id}":0`).join()}}`;
  return sql<number>`(select cast(key as bigint) from json_each(${json}))`;
}

/** Numbers and a number of each, as the one parameter of `idPairs`; each key is there once. */
export function pairsText(keys: readonly number[], values: readonly number[]): string {
  return `{${keys.map((key, index) => `"${key}":${values[index]}`).join()}}`;
}

/** Rows `(key, value)` of numbers in their order, of a text that `pairsText` made. */
export function idPairs(json: string): RawBuilder<{ readonly key: number; readonly value: number }> {
  return sql`(select cast(key as bigint) as key, cast(cast(value as text) as bigint) as value
    from json_each(${json}))`;
}
