import path from 'node:path';
import { workerUrl } from '../../platform/worker-url.ts';
import { aheadWorkers, noAhead } from '../archive/ahead-workers.ts';
import { type ChainLink, linksOf } from '../chain/links.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { readCopyLock, unlockCopy } from '../crypto/copy-lock.ts';
import type { CopySecret } from '../crypto/copy-secret.ts';
import { LOCK_NAME } from '../crypto/lock-name.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import type { WorkerSpec } from '../job/worker-group.ts';
import { headerOf } from '../manifest/manifest-file.ts';
import type { VerifyRequest } from './verify.ts';
import type { VerifyInput } from './verify-worker.ts';

/** The threads that verify a copy; the result of the one called `verifier` is a `VerifyResult`. */
export async function verifierWorkers(
  control: Control,
  request: VerifyRequest,
): Promise<readonly WorkerSpec[]> {
  const opened = await verifyInput(control, request);
  const isSealed = opened.isEncrypted && opened.secret === null;
  // Of what cannot be opened only the stored bytes are read.
  const limit = request.memory ?? null;
  const { ahead, workers, heapMegabytes } = isSealed
    ? noAhead(limit)
    : await aheadWorkers(control, opened.copyPath, opened.secret, { limit });
  const input: VerifyInput = { ...opened, ahead };
  const transfer = input.blocks === null ? [] : [input.blocks.link.port];
  return [
    {
      name: 'verifier',
      url: workerUrl(import.meta.url, 'verify-worker'),
      input,
      transfer,
      heapMegabytes,
    },
    ...workers,
  ];
}

/**
 * What is needed to verify a copy. Without the key of an encrypted one its stored bytes are still compared with their
 * sums. Throws `permission` when a key is given and is another one than the copy's.
 */
async function verifyInput(control: Control, request: VerifyRequest): Promise<Omit<VerifyInput, 'ahead'>> {
  const { storagePath, copyId, key = null, chain = [], blocks = null, isMetadataOnly = false } = request;
  const copyPath = path.join(storagePath, copyId);
  const found = await unlocked(copyPath, key);
  const { secret, isEncrypted } = found;
  const isSealed = isEncrypted && secret === null;
  // The list of them is sealed too: what the caller knows of them must do.
  const links = isSealed
    ? chain.map((place) => unopened(place.storagePath, place.copyId))
    : await linksOf({ storagePath, header: headerOf(copyPath, secret) }, chain, key);
  const opened = blocks === null ? null : { link: blocks.connect(), isPresenceOnly: isMetadataOnly };
  const isHeldRead = request.isHeldRead ?? false;
  return { control: control.memory, copyPath, ...found, links, blocks: opened, isHeldRead };
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
