import {
  compressionTypes,
  defaultPoolName,
  fittingParameters,
  type PoolType,
  type PoolTypeParameter,
  poolTypeParameters,
  poolTypeSpellings,
  poolTypes,
} from '../../../contract/pools/pool.ts';
import type { FieldErrors } from '../../../contract/problem.ts';
import { counted } from '../bulk.ts';

/** The types that this server can keep copies in. */
export const availablePoolTypes: readonly PoolType[] = ['File system'];

export type PoolTypeAnswer =
  | { readonly ok: true; readonly type: PoolType }
  | {
      readonly ok: false;
      readonly code: 'request.invalid' | 'feature.notAvailable';
      readonly reason: string;
    };

/** The type behind a spelling, if this server has it. */
export function readPoolType(text: string): PoolTypeAnswer {
  const spelled = Object.hasOwn(poolTypeSpellings, text) ? poolTypeSpellings[text] : undefined;
  const type = spelled ?? poolTypes.find((known) => known === text);
  if (!type) {
    return { ok: false, code: 'request.invalid', reason: `must be one of ${poolTypes.join(', ')}` };
  }
  if (!availablePoolTypes.includes(type)) {
    return {
      ok: false,
      code: 'feature.notAvailable',
      reason: `\`${text}\` is not available on this server yet; use ${availablePoolTypes.join(', ')}`,
    };
  }
  return { ok: true, type };
}

export type FittingValues = { readonly [P in PoolTypeParameter]?: unknown };
export type Fitted =
  | { readonly ok: true; readonly values: FittingValues }
  | { readonly ok: false; readonly errors: FieldErrors };

/**
 * Of the parameters that only some types have, those that fit `type`, checked. The others are left out, whatever
 * they hold. `null` puts a parameter back to its default.
 */
export function fitParameters(type: PoolType, given: FittingValues): Fitted {
  const errors = new Map<string, string>();
  const values = new Map<string, unknown>();
  for (const name of fittingParameters[type]) {
    const value = given[name];
    if (value === undefined) continue;
    const result = poolTypeParameters[name].nullable().safeParse(value);
    if (result.success) values.set(name, result.data);
    else errors.set(name, result.error.issues[0]?.message ?? 'is not valid');
  }
  if (errors.size > 0) return { ok: false, errors: Object.fromEntries(errors) };
  return { ok: true, values: Object.fromEntries(values) };
}

/** What is stored for a type that has a compression; null for the others. */
export function compressionOf(type: PoolType, values: FittingValues): string | null {
  if (!fittingParameters[type].includes('compression_type')) return null;
  return compressionTypes.find((known) => known === values.compression_type) ?? 'None';
}

export function isDefaultPool(pool: { readonly name: string }): boolean {
  return pool.name === defaultPoolName;
}

export interface PoolUse {
  readonly id: number;
  readonly name: string;
  readonly copies: number;
  readonly storages: number;
  readonly activeTasks: number;
  /** Pools whose metadata it holds. */
  readonly dataPools: number;
  /** Clients whose local schedule writes to it. */
  readonly clients: number;
}

/** Why the pool cannot go, or null. */
export function whyPoolStays(pool: PoolUse): string | null {
  if (isDefaultPool(pool)) return `the pool \`${pool.name}\` always exists`;
  const holds = [
    pool.copies > 0 ? `holds ${counted(pool.copies, 'backup copy', 'backup copies')}` : null,
    pool.storages > 0 ? `has ${counted(pool.storages, 'storage')}` : null,
    pool.activeTasks > 0 ? `is used by ${counted(pool.activeTasks, 'active task')}` : null,
    pool.dataPools > 0 ? `holds the metadata of ${counted(pool.dataPools, 'pool')}` : null,
    pool.clients > 0 ? `is the local schedule pool of ${counted(pool.clients, 'client')}` : null,
  ].filter((reason) => reason !== null);
  return holds.length === 0 ? null : `the pool \`${pool.name}\` ${holds.join(', ')}`;
}

/** Pools that can take copies of `source`; for a move, those with room come first. */
export function destinationsFor<
  P extends { readonly id: number; readonly pool_type: string; readonly free_space: number },
>(source: { readonly id: number }, pools: readonly P[], action: 'copy' | 'move'): readonly P[] {
  const usable = pools.filter((pool) => pool.id !== source.id && pool.pool_type !== 'Client defined');
  if (action === 'copy') return usable;
  return [...usable].sort((left, right) => right.free_space - left.free_space || left.id - right.id);
}
