import {
  blockSizes,
  compressionTypes,
  defaultBlockSize,
  defaultPoolName,
  fittingParameters,
  hashAlgorithms,
  hashLengths,
  hashLengthsOf,
  type PoolType,
  type PoolTypeParameter,
  poolTypeParameters,
  poolTypeSpellings,
  poolTypes,
} from '../../../contract/pools/pool.ts';
import type { FieldErrors } from '../../../contract/problem.ts';
import { counted } from '../bulk.ts';

export type PoolTypeAnswer =
  | { readonly ok: true; readonly type: PoolType }
  | { readonly ok: false; readonly reason: string };

/** The type behind a spelling; later versions spell some types otherwise. */
export function readPoolType(text: string): PoolTypeAnswer {
  const spelled = Object.hasOwn(poolTypeSpellings, text) ? poolTypeSpellings[text] : undefined;
  const type = spelled ?? poolTypes.find((known) => known === text);
  if (!type) return { ok: false, reason: `must be one of ${poolTypes.join(', ')}` };
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

/** How a pool of type `Block device` cuts and names its blocks; all null for the other types. */
export interface BlockParameters {
  readonly algorithm: string | null;
  readonly blockSizeBytes: number | null;
  readonly hashLengthBits: number | null;
}

export type BlockAnswer =
  | { readonly ok: true; readonly block: BlockParameters }
  | { readonly ok: false; readonly errors: FieldErrors };

/** What a new pool gets, with the defaults for what was not said. `values` are fitting ones. */
export function blockParametersOf(type: PoolType, values: FittingValues): BlockAnswer {
  if (type !== 'Block device') {
    return { ok: true, block: { algorithm: null, blockSizeBytes: null, hashLengthBits: null } };
  }
  const algorithm = hashAlgorithms.find((known) => known === values.algorithm) ?? 'sha2';
  const allowed: readonly number[] = hashLengthsOf[algorithm];
  const length = hashLengths.find((known) => known === values.hash_length) ?? allowed[0] ?? 256;
  if (!allowed.includes(length)) {
    const reason = `must be ${allowed.join(' or ')} (bits) for ${algorithm}`;
    return { ok: false, errors: { hash_length: reason } };
  }
  const blockSizeBytes = blockSizes.find((known) => known === values.block_size) ?? defaultBlockSize;
  return { ok: true, block: { algorithm, blockSizeBytes, hashLengthBits: length } };
}

/** Why `pool` cannot keep the metadata of a block device pool on `mediaServerId`, or null. */
export function whyNoMetadataPool(
  pool: { readonly type: string; readonly mediaServerId: number },
  mediaServerId: number,
): string | null {
  if (pool.type !== 'File system') return 'must be a pool of type `File system`';
  return pool.mediaServerId === mediaServerId ? null : 'must be on the same media server as the pool';
}

export function isDefaultPool(pool: { readonly name: string }): boolean {
  return pool.name === defaultPoolName;
}

export interface PoolUse {
  readonly id: number;
  readonly name: string;
  readonly copies: number;
  /** Folders and block devices. */
  readonly storages: number;
  readonly libraries: number;
  readonly cartridges: number;
  readonly activeTasks: number;
  /** Pools whose metadata it holds. */
  readonly dataPools: number;
  /** Clients whose local schedule writes to it. */
  readonly clients: number;
  readonly strategies: number;
}

/** Why the pool cannot go, or null. */
export function whyPoolStays(pool: PoolUse): string | null {
  if (isDefaultPool(pool)) return `the pool \`${pool.name}\` always exists`;
  const holds = [
    pool.copies > 0 ? `holds ${counted(pool.copies, 'backup copy', 'backup copies')}` : null,
    pool.storages > 0 ? `has ${counted(pool.storages, 'storage')}` : null,
    pool.libraries > 0 ? `belongs to ${counted(pool.libraries, 'tape library', 'tape libraries')}` : null,
    pool.cartridges > 0 ? `has ${counted(pool.cartridges, 'cartridge')}` : null,
    pool.activeTasks > 0 ? `is used by ${counted(pool.activeTasks, 'active task')}` : null,
    pool.dataPools > 0 ? `holds the metadata of ${counted(pool.dataPools, 'pool')}` : null,
    pool.clients > 0 ? `is the local schedule pool of ${counted(pool.clients, 'client')}` : null,
    pool.strategies > 0 ? `is the pool of ${counted(pool.strategies, 'strategy', 'strategies')}` : null,
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
