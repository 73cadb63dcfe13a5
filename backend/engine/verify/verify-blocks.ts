import { setImmediate as turn } from 'node:timers/promises';
import { collectYoungObjects } from '../../platform/collect-garbage.ts';
import type { BlocksInput } from '../archive/blocks-input.ts';
import { damagedList } from '../archive/manifest-lines.ts';
import { FRAME_GOOD, FRAME_MISSING } from '../archive/stream.ts';
import { BLOCK_NAMES, readBlockNames } from '../blocks/block-names.ts';
import { type BlockNames, BlockSource } from '../blocks/block-source.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import type { ManifestReader } from '../manifest/manifest-reader.ts';
import type { Findings } from './findings.ts';

const NEW_BACKUP =
  'Make a new backup of the same data, which stores it again; then verify the copy once more.';
const NEW_LIST = 'Do not clean the pool before a new backup was made; restore from this copy is possible.';

/** The blocks of an encrypted copy without its key: each must be there, and its record what was written. Answers the bytes read. */
export async function checkStoredBlocks(
  copyPath: string,
  { link, isPresenceOnly }: BlocksInput,
  control: Control,
  findings: Findings,
): Promise<number> {
  const source = new BlockSource(link, control, isPresenceOnly ? 'presence' : 'stored');
  const seen = new Set<string>();
  let first = 0;
  try {
    for (const names of readBlockNames(copyPath)) {
      const bytes = joinedNames(names, link.facts.hashBytes);
      for (const [index, name] of names.entries()) {
        control.check();
        if (seen.has(name)) continue;
        seen.add(name);
        const { status } = source.fetch(first + index, null, bytesFrom(bytes, first, link.facts.hashBytes));
        if (status !== FRAME_GOOD) noteBlock(name, status, findings);
      }
      first += names.length;
      await turn();
      collectYoungObjects();
    }
  } catch (error) {
    noteNames(error, findings);
  } finally {
    source.close();
  }
  return source.readBytes;
}

/** With the key: cleaning goes by the list beside the manifest, so that must name the same blocks. */
export function checkBlockNames(reader: ManifestReader, findings: Findings): void {
  const frames = joined(reader.frames.blockHashes());
  try {
    for (const names of readBlockNames(reader.file.copyPath)) {
      for (const name of names) if (frames.next().value !== name) throw otherNames();
    }
    if (frames.next().done !== true) throw otherNames();
  } catch (error) {
    noteNames(error, findings);
  }
}

/** The bytes of names in base64, one behind the other. */
function joinedNames(names: readonly string[], hashBytes: number): Buffer {
  const bytes = names.map((name) => Buffer.from(name, 'base64'));
  if (bytes.some((name) => name.length !== hashBytes)) throw damagedList();
  return Buffer.concat(bytes);
}

/** `first`: the number of the first of these names. */
function bytesFrom(bytes: Buffer, first: number, hashBytes: number): BlockNames {
  return (number, most) => bytes.subarray((number - first) * hashBytes, (number - first + most) * hashBytes);
}

function* joined(groups: Iterable<readonly string[]>): Generator<string, undefined> {
  for (const group of groups) yield* group;
}

function noteBlock(name: string, status: number, findings: Findings): void {
  const isMissing = status === FRAME_MISSING;
  const message = isMissing ? 'it is not in the store.' : 'it is not what was written.';
  findings.add({ severity: 'error', item: `block ${name}`, message, nextStep: NEW_BACKUP }, isMissing);
}

function noteNames(error: unknown, findings: Findings): void {
  if (!(error instanceof DeviceError) || !['corrupt', 'notFound'].includes(error.kind)) throw error;
  const isMissing = error.kind === 'notFound';
  const finding = { severity: 'error', item: BLOCK_NAMES, message: error.message } as const;
  findings.add({ ...finding, nextStep: NEW_LIST }, isMissing);
}

function otherNames(): DeviceError {
  return new DeviceError('corrupt', 'It does not name the blocks of the file list.');
}
