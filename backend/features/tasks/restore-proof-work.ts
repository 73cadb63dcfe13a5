import { randomBytes } from 'node:crypto';
import {
  DeviceError,
  type RestoreProofResult,
  type StoreThread,
  startRestoreProof,
} from '../../engine/index.ts';
import type { Work, WorkContext, WorkEnd } from '../../jobs/index.ts';
import { messageOf } from '../../platform/errors.ts';
import { errorCode } from '../../platform/native.ts';
import type { BlockPoolService } from '../block-pools/block-pool-service.ts';
import { counted } from '../bulk.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { CopyProofService } from '../repository/copy-proof-service.ts';
import type { CopyService, TaskCopy } from '../repository/copy-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { onBlocks } from './copy-source.ts';
import { endFor, follow } from './engine-bridge.ts';
import type { CopyMemoryLimits } from './memory-limit-store.ts';
import type { ProofSample } from './proof-plan-store.ts';
import type { ProofScratch } from './proof-scratch.ts';

export interface RestoreProofWorkDeps {
  readonly copies: CopyService;
  readonly proofs: CopyProofService;
  readonly keys: ClientKeys;
  readonly blockPools: BlockPoolService;
  readonly tapes: TapeCopyService;
  readonly scratch: ProofScratch;
  readonly memory: CopyMemoryLimits;
}

const mostLines = 100;
/** What the engine says of the copy; all else is the scratch space's or the moment's fault. */
const ofTheCopy: ReadonlySet<string> = new Set(['corrupt', 'notFound', 'permission', 'permanent']);

/** Restores a random sample of a copy's files to scratch space, compares them, and keeps with the copy what came of it. */
export function createRestoreProofWork(deps: RestoreProofWorkDeps): Work {
  const { proofs, keys, scratch } = deps;

  const failed = async (
    { task }: WorkContext,
    copy: TaskCopy,
    failure: { readonly path: string; readonly reason: string },
    message: string,
  ): Promise<WorkEnd> => {
    await proofs.storeFailure(copy.id, { ...failure, taskId: task.id });
    return { kind: 'error', message };
  };

  async function prove(
    context: WorkContext,
    copy: TaskCopy,
    blocks: StoreThread | null,
    folder: string,
  ): Promise<WorkEnd> {
    const sample = JSON.parse(context.task.input ?? '{}') as ProofSample;
    const seed = randomBytes(4).toString('hex');
    const { storagePath, uuid: copyId, chain, resource } = copy;
    try {
      const key = await keys.demand(copy);
      const request = {
        storagePath,
        copyId,
        key,
        chain,
        blocks,
        scratch: folder,
        sample: { ...sample, seed },
        memory: await deps.memory.ofCopy(copy.id),
      };
      const result = await follow(context, startRestoreProof(request), 'server');
      await context.moveTo('at_server');
      return await endOf(context, copy, result);
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      if (error.kind === 'noSpace') return { kind: 'error', message: noRoom(error.message) };
      if (!ofTheCopy.has(error.kind)) return endFor(error, { waitsForSpace: false });
      const message = `Nothing of the copy can be restored: ${error.message}`;
      return failed(context, copy, { path: resource, reason: error.message }, message);
    }
  }

  async function endOf(context: WorkContext, copy: TaskCopy, result: RestoreProofResult): Promise<WorkEnd> {
    const { files, bytes, filesTotal, tooLarge, failures, notes } = result;
    for (const note of notes.slice(0, mostLines)) {
      context.log('server', 'info', `${note.path}: ${note.reason}. It cannot be had in the scratch space.`);
    }
    for (const failure of failures.slice(0, mostLines)) {
      context.log('server', 'error', `${failure.path}: ${failure.reason}.`);
    }
    const [first] = failures;
    if (first !== undefined) {
      const more = failures.length === 1 ? '' : ` and ${counted(failures.length - 1, 'more file')}`;
      const message = `The copy is not proven restorable: ${first.path}: ${first.reason}${more}. The log lists what did not come back.`;
      return failed(context, copy, first, message);
    }
    const done = { kind: 'done', skippedItems: null, transferredBytes: bytes } as const;
    if (filesTotal === 0) {
      context.log('server', 'info', 'The copy holds no files, so there is nothing to restore and compare.');
      return done;
    }
    if (files === 0) {
      const message = `None of the ${counted(tooLarge, 'file')} of the copy fits into the sample; raise restore_proof_size of the strategy.`;
      return { kind: 'error', message };
    }
    // Before the task ends: who sees it done finds the proof with the copy.
    await proofs.storeProven(copy.id, { files, bytes });
    context.log(
      'server',
      'info',
      `${counted(files, 'file')} (${counted(bytes, 'byte')}) were restored and are the same as in the file list: content, permissions, times, owner and extended attributes.`,
    );
    return done;
  }

  const noRoom = (message: string): string =>
    `${message} The copy was not looked at. Free space in ${scratch.folder}, or start the server with another --scratch-dir; then restart the task.`;

  return onBlocks(deps, async (context, copy, blocks) => {
    await context.moveTo('execution');
    let isMade = false;
    try {
      return await scratch.within((folder) => {
        isMade = true;
        return prove(context, copy, blocks, folder);
      });
    } catch (error) {
      if (isMade || errorCode(error) === '') throw error;
      const message = `The scratch space ${scratch.folder} cannot be used: ${messageOf(error)}.`;
      return { kind: 'error', message: noRoom(message) };
    }
  });
}
