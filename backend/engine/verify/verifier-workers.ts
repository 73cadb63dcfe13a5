import { availableParallelism } from 'node:os';
import path from 'node:path';
import { workerUrl } from '../../platform/worker-url.ts';
import { aheadWorkers, noAhead } from '../archive/ahead-workers.ts';
import { blocksInput, portsOf } from '../archive/blocks-input.ts';
import type { ManifestHeader } from '../archive/manifest-format.ts';
import { type ChainLink, linksOf } from '../chain/links.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { readCopyLock, unlockCopy } from '../crypto/copy-lock.ts';
import type { CopySecret } from '../crypto/copy-secret.ts';
import { LOCK_NAME } from '../crypto/lock-name.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { type MemoryLimit, planReading } from '../job/memory-plan.ts';
import type { WorkerSpec } from '../job/worker-group.ts';
import { headerOf } from '../manifest/manifest-file.ts';
import type { VerifyRequest } from './verify.ts';
import { isWorthParting } from './verify-part.ts';
import { SECOND_VERIFIER, VERIFIER } from './verify-result.ts';
import type { VerifyInput } from './verify-worker.ts';

/** The threads that verify a copy; `verifyResult` makes one of their results. */
export async function verifierWorkers(
  control: Control,
  request: VerifyRequest,
): Promise<readonly WorkerSpec[]> {
  const { header, input: opened } = await verifyInput(control, request);
  const isSealed = opened.isEncrypted && opened.secret === null;
  // Of what cannot be opened only the stored bytes are read.
  const limit = request.memory ?? null;
  const { ahead, workers, heapMegabytes } = isSealed
    ? noAhead(limit)
    : await aheadWorkers(control, opened.copyPath, opened.secret, { limit });
  const isParted = isPartedInTwo(header, opened, limit);
  const url = workerUrl(import.meta.url, 'verify-worker');
  const worker = (name: string, input: VerifyInput): WorkerSpec => ({
    name,
    url,
    input,
    transfer: portsOf(input.blocks),
    heapMegabytes: isParted ? planReading(limit, 0).heapMegabytes : heapMegabytes,
  });
  const first = worker(VERIFIER, { ...opened, ahead, part: isParted ? 'first' : 'whole' });
  if (!isParted) return [first, ...workers];
  // Each thread has a way of its own to the store.
  const second: VerifyInput = {
    ...opened,
    ahead,
    blocks: blocksInput(request.blocks, request.isMetadataOnly),
    part: 'second',
  };
  return [first, worker(SECOND_VERIFIER, second)];
}

/** Two threads verify the blocks of a copy, each its half. What cannot be read is the thread's to tell. */
function isPartedInTwo(
  header: ManifestHeader | null,
  { blocks, links }: Pick<VerifyInput, 'blocks' | 'links'>,
  limit: MemoryLimit | null,
): boolean {
  if (blocks === null || blocks.isPresenceOnly || links.length > 0 || availableParallelism() < 2)
    return false;
  if (header === null || header.order === 'arrival' || !isWorthParting(header.totals)) return false;
  return planReading(limit, 0).isAhead;
}

/**
 * What is needed to verify a copy. Without the key of an encrypted one its stored bytes are still compared with their
 * sums. Throws `permission` when a key is given and is another one than the copy's.
 */
async function verifyInput(
  control: Control,
  request: VerifyRequest,
): Promise<{ readonly header: ManifestHeader | null; readonly input: Omit<VerifyInput, 'ahead' | 'part'> }> {
  const { storagePath, copyId, key = null, chain = [] } = request;
  const copyPath = path.join(storagePath, copyId);
  const found = await unlocked(copyPath, key);
  const { secret, isEncrypted } = found;
  const isSealed = isEncrypted && secret === null;
  const header = isSealed ? null : headerOf(copyPath, secret);
  // The list of them is sealed too: what the caller knows of them must do.
  const links = isSealed
    ? chain.map((place) => unopened(place.storagePath, place.copyId))
    : await linksOf({ storagePath, header }, chain, key);
  const isHeldRead = request.isHeldRead ?? false;
  const blocks = blocksInput(request.blocks, request.isMetadataOnly);
  return { header, input: { control: control.memory, copyPath, ...found, links, blocks, isHeldRead } };
}

function unopened(storagePath: string, copyId: string): ChainLink {
  return { copyId, copyPath: path.join(storagePath, copyId), secret: null, fault: null };
}

async function unlocked(
  copyPath: string,
  key: ClientKey | null,
): Promise<Pick<VerifyInput, 'secret' | 'isEncrypted' | 'lockFault'>> {
  let secret: CopySecret | null = null;
  try {
    if (key === null) return { secret, isEncrypted: readCopyLock(copyPath) !== null, lockFault: null };
    secret = await unlockCopy(copyPath, key);
    const isLockMissing = secret !== null && readCopyLock(copyPath) === null;
    const lockFault = isLockMissing ? `The file ${LOCK_NAME} is missing.` : null;
    return { secret, isEncrypted: secret !== null, lockFault };
  } catch (error) {
    if (!(error instanceof DeviceError) || error.kind !== 'corrupt') throw error;
    return { secret: null, isEncrypted: true, lockFault: error.message };
  }
}
