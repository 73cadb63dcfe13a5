import { setImmediate as turn } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { collectYoungObjects } from '../../platform/collect-garbage.ts';
import { readBlockNames, readNamesHead } from '../blocks/block-names.ts';
import { StoreClient } from '../blocks/store-client.ts';
import type { StoreLink } from '../blocks/store-requests.ts';
import { DeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { finishWorker, runWorkerAsync } from '../job/worker-side.ts';
import { ManifestReader } from '../manifest/manifest-reader.ts';

/** Reads the file lists of copies and tells a store which of its blocks they refer to. */
export interface LiveBlocksInput {
  readonly control: SharedArrayBuffer;
  readonly link: StoreLink;
  readonly copyPaths: readonly string[];
}

export interface LiveBlocksResult {
  /** Copies that have blocks in the store. */
  readonly copies: number;
  /** Folders that are not there. */
  readonly gone: readonly string[];
}

const input = workerData as LiveBlocksInput;
const control = new Control(input.control);
const store = new StoreClient(input.link, control);
/** So that a backup that waits for the store does not wait long. */
const HASHES_AT_ONCE = 1024;

runWorkerAsync(control, async () => {
  const gone: string[] = [];
  let copies = 0;
  for (const copyPath of input.copyPaths) {
    try {
      if (await mark(copyPath)) copies += 1;
    } catch (error) {
      if (!(error instanceof DeviceError) || error.kind === 'cancelled') throw error;
      if (error.kind !== 'notFound') throw unreadable(copyPath, error);
      gone.push(copyPath);
    }
  }
  const result: LiveBlocksResult = { copies, gone };
  finishWorker(result);
});

/** False when the copy has its blocks elsewhere, or none. */
async function mark(copyPath: string): Promise<boolean> {
  const names = readNamesHead(copyPath);
  if (names !== null) return names.store === input.link.facts.storeId && markNames(copyPath);
  const reader = new ManifestReader(copyPath);
  try {
    const { header } = reader.file;
    if (header.blocks?.store !== input.link.facts.storeId) return false;
    let frames = 0;
    for (const hashes of reader.frames.blockHashes()) {
      frames += hashes.length;
      await markAll(hashes);
    }
    // What a list leaves out would be freed.
    if (frames !== header.frames) throw incomplete();
    return true;
  } finally {
    reader.close();
  }
}

/** The file list is sealed; what blocks it needs stands beside it. */
async function markNames(copyPath: string): Promise<boolean> {
  for (const names of readBlockNames(copyPath)) await markAll(names);
  return true;
}

async function markAll(hashes: readonly string[]): Promise<void> {
  for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
    const some = hashes.slice(at, at + HASHES_AT_ONCE).map(bytesOf);
    store.call('mark', { hashes: Uint8Array.from(Buffer.concat(some)) });
  }
  await turn();
  collectYoungObjects();
}

function bytesOf(hash: string): Buffer {
  const bytes = Buffer.from(hash, 'base64');
  if (bytes.length !== input.link.facts.hashBytes) throw incomplete();
  return bytes;
}

function incomplete(): DeviceError {
  return new DeviceError('corrupt', 'The file list does not name all of its blocks.');
}

function unreadable(copyPath: string, error: DeviceError): DeviceError {
  return new DeviceError(
    error.kind,
    `The file list of the copy in ${copyPath} cannot be read, so it is not known which blocks it needs. Nothing was cleaned; verify the copy, and delete it when it is lost. ${error.message}`,
    { cause: error },
  );
}
