import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Measure } from '../support/measure.ts';
import type { TreeName } from './trees.ts';

/** `unchanged` builds on the backup when nothing is new, `changed` when 1 % is; `dedup` is a further full one when nothing is new. */
export const works = ['backup', 'verify', 'restore', 'unchanged', 'changed', 'dedup'] as const;
export type Work = (typeof works)[number];

export const toolNames = [
  'strongroom',
  'strongroom-none',
  'strongroom-blocks',
  'strongroom-blocks-aes',
  'strongroom-aes',
  'strongroom-age',
  'tar',
  'tar-zstd',
  'restic',
  'borg',
] as const;
export type ToolName = (typeof toolNames)[number];

/** What one tool took for one work on one tree: medians of all runs. */
export interface Row extends Measure {
  readonly tree: TreeName;
  readonly work: Work;
  readonly tool: ToolName;
  /** On the disk after the backup; null for all other work. */
  readonly storedMb: number | null;
}

/** The work of a tool as lines of a shell; `store` is a folder of its own, empty before `prepare`. */
export interface Tool {
  readonly prepare: (store: string) => string;
  readonly backup: (source: string, store: string) => string;
  readonly verify: (store: string) => string;
  readonly restore: (store: string, folder: string) => string;
  /** Not measured, before the first `next`. */
  readonly prepareNext: (source: string, store: string) => string;
  readonly next: (source: string, store: string, name: string) => string;
  readonly dedup: (source: string, store: string) => string;
}

const NOTHING = 'true';
const nothing = () => NOTHING;

export interface ToolOptions {
  readonly work: string;
  /** The program that runs this engine, and its bundle. */
  readonly runtime: string;
  readonly program: string;
  readonly compression: string;
  /** Of the device of a block store. */
  readonly deviceMb: number;
}

export function toolsOf(options: ToolOptions): Readonly<Record<ToolName, Tool>> {
  const own = (compression: string, crypto = '') => engine(options, compression, crypto);
  return {
    strongroom: own(options.compression),
    'strongroom-none': own('None'),
    'strongroom-blocks': onBlocks(options, ''),
    'strongroom-blocks-aes': onBlocks(options, 'aes-256-gcm'),
    'strongroom-aes': own(options.compression, 'aes-256-gcm'),
    'strongroom-age': own(options.compression, 'age'),
    tar: tar('tar', ''),
    'tar-zstd': tar('tar.zst', ' | zstd -q -3 -T1'),
    restic,
    borg,
  };
}

/** Of the peers; nothing of this asks a terminal. */
export function peerEnvironment(work: string): Readonly<Record<string, string>> {
  return {
    RESTIC_PASSWORD: 'bench',
    RESTIC_CACHE_DIR: join(work, 'restic-cache'),
    BORG_BASE_DIR: join(work, 'borg'),
    BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: 'yes',
    BORG_RELOCATED_REPO_ACCESS_IS_OK: 'yes',
  };
}

export function isInstalled(name: 'restic' | 'borg'): boolean {
  try {
    execFileSync(name, [name === 'borg' ? '--version' : 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write(`${name} is not installed and is left out\n`);
    return false;
  }
}

function engine({ work, runtime, program }: ToolOptions, compression: string, crypto: string): Tool {
  const key = join(work, 'keys', crypto);
  const run = `STRONGROOM_BENCH_CRYPTO=${crypto} STRONGROOM_BENCH_KEY=${key} ELECTRON_RUN_AS_NODE=1 ${runtime} ${program}`;
  return {
    prepare: nothing,
    backup: (source, store) => `${run} backup ${source} ${store} bench ${compression}`,
    verify: (store) => `${run} verify ${store} bench`,
    restore: (store, folder) => `${run} restore ${store} bench ${folder}`,
    prepareNext: nothing,
    next: (source, store, name) => `${run} backup ${source} ${store} ${name} ${compression} bench`,
    dedup: (source, store) => `${run} backup ${source} ${store} again ${compression}`,
  };
}

/** The index of the store is made anew when it is missing, and lies elsewhere. */
function onBlocks(options: ToolOptions, crypto: string): Tool {
  const { work, deviceMb, compression } = options;
  const index = join(work, `block-index${crypto}`);
  const own = engine(options, compression, crypto);
  const on = (store: string, line: string) =>
    `STRONGROOM_BENCH_DEVICE=${store}/device STRONGROOM_BENCH_INDEX=${index} ${line}`;
  return {
    prepare: (store) => `rm -f ${index}; truncate -s ${deviceMb}M ${store}/device`,
    backup: (source, store) => on(store, own.backup(source, store)),
    verify: (store) => on(store, own.verify(store)),
    restore: (store, folder) => on(store, own.restore(store, folder)),
    prepareNext: nothing,
    next: (source, store, name) => on(store, own.next(source, store, name)),
    // As an incremental task makes it: a full copy that needs no other one, for which only what changed is read. So do the peers.
    dedup: (source, store) => on(store, own.next(source, store, 'again')),
  };
}

function tar(ending: string, packed: string): Tool {
  const read = (store: string) =>
    packed === '' ? `cat ${store}/a.${ending}` : `zstd -q -dc ${store}/a.${ending}`;
  const write = (file: string) => `${packed} > ${file} && sync ${file}`;
  return {
    prepare: nothing,
    backup: (source, store) => `tar -C ${source} -cf - . ${write(`${store}/a.${ending}`)}`,
    verify: (store) => `${read(store)} | tar -tf - > /dev/null`,
    restore: (store, folder) => `${read(store)} | tar -C ${folder} -xf -`,
    prepareNext: (source, store) => `tar -C ${source} -g ${store}/full.snar -cf /dev/null .`,
    next: (source, store, name) =>
      `cp ${store}/full.snar ${store}/${name}.snar && tar -C ${source} -g ${store}/${name}.snar -cf - . ${write(`${store}/${name}.${ending}`)}`,
    dedup: nothing,
  };
}

const resticBackup = (source: string, store: string) => `restic -q -r ${store} backup ${source}`;
const restic: Tool = {
  prepare: (store) => `restic -q -r ${store} init --repository-version 2`,
  backup: resticBackup,
  verify: (store) => `restic -q -r ${store} check --read-data`,
  restore: (store, folder) => `restic -q -r ${store} restore latest --target ${folder}`,
  prepareNext: nothing,
  next: resticBackup,
  dedup: resticBackup,
};

const borgBackup = (source: string, store: string, name: string) =>
  `cd ${source} && borg create -C lz4 ${store}::${name} .`;
const borg: Tool = {
  prepare: (store) => `borg init -e none ${store}`,
  backup: (source, store) => borgBackup(source, store, 'bench'),
  verify: (store) => `borg check --verify-data ${store}`,
  restore: (store, folder) => `cd ${folder} && borg extract ${store}::bench`,
  prepareNext: nothing,
  next: borgBackup,
  dedup: (source, store) => borgBackup(source, store, 'again'),
};
