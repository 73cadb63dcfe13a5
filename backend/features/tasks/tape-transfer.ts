import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { removeCopy, startVerify } from '../../engine/index.ts';
import { CommitRefused, type WorkContext, type WorkEnd } from '../../jobs/index.ts';
import { Refusal } from '../../platform/errors.ts';
import { counted } from '../bulk.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { CopyService, TaskCopy } from '../repository/copy-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { clientCapacityRefusal } from './client-capacity.ts';
import { follow } from './engine-bridge.ts';
import { type BackupTrace, readTrace, traceOf } from './left-over-store.ts';
import type { CopyMemoryLimits } from './memory-limit-store.ts';
import { followTape, tapeEnd } from './tape-follow.ts';

/**
 * Brings a full copy to a pool of tapes, with the bytes in `at`, which for data in blocks is not where the copy lies. The stored bytes are read and compared before; what was written is read back before a
 * move gives the old place up, and after a copy when new copies are verified.
 */
export async function toTape(
  deps: {
    readonly kind: 'copy' | 'move';
    readonly copies: CopyService;
    readonly tapes: TapeCopyService;
    readonly configuration: Pick<ConfigurationService, 'read'>;
    readonly memory: CopyMemoryLimits;
  },
  context: WorkContext,
  copy: TaskCopy,
  at: { readonly storagePath: string; readonly copyId: string; readonly storedBytes: number },
): Promise<WorkEnd> {
  const { kind, copies, tapes } = deps;
  const { task } = context;
  const uuid = randomUUID();
  const settings = await deps.configuration.read();
  const isChecked = kind === 'move' || settings.verify_archive_after_creation === 'yes';
  const folder = join(at.storagePath, at.copyId);
  if (kind === 'move') {
    const folders = [...readTrace(task.input).folders, ...traceOf(copy)];
    await context.remember({ folders } satisfies BackupTrace);
  }
  await context.moveTo('execution');
  const { storagePath, copyId } = at;
  const sources = { storagePath, copyId, key: null, chain: [], blocks: null };
  const memory = await deps.memory.ofCopy(copy.id);
  const { status, findings } = await follow(context, startVerify({ ...sources, memory }), 'server');
  if (status !== 'trusted') {
    const what = findings[0] === undefined ? '' : ` (${findings[0].item}: ${findings[0].message})`;
    return { kind: 'error', message: `The copy is damaged where it is${what}; it was not written to tape.` };
  }
  await context.moveTo('transmission');
  try {
    const facts = await tapes.factsOf(copy.id);
    const wish = { from: folder, uuid, facts, poolId: task.pool_id ?? -1 };
    const { bytes } = await followTape(context, at.storedBytes, (tape) => tapes.write(wish, tape));
    await context.moveTo('at_server');
    if (isChecked) {
      await followTape(context, bytes, (tape) => tapes.check(uuid, tape));
      context.log('server', 'info', `${counted(bytes, 'byte')} were read back from tape and are right.`);
    }
    const arrived = {
      copyId: copy.id,
      uuid,
      storageId: null,
      storedBytes: bytes,
      task,
      isVerified: isChecked,
    };
    const isLimited = kind === 'copy' && settings.clients_capacity_limits;
    return {
      kind: 'done',
      skippedItems: null,
      transferredBytes: bytes,
      undo: () => tapes.giveUp(uuid),
      commit: (tx) =>
        commitOrRefuse(async () => {
          const overLimit = await clientCapacityRefusal(tx, task, { isLimited, addedBytes: bytes });
          if (overLimit !== null) throw new CommitRefused(`${overLimit} The new copy was given up.`);
          await tapes.settle(tx, uuid);
          if (kind === 'copy') return { copyId: await copies.registerTransferred(tx, arrived) };
          await copies.relocate(tx, arrived);
          return {};
        }),
      after: async () => {
        if (kind === 'copy') return copies.announceCreated(uuid);
        await copies.announceRelocated(copy.id);
        // What fails here is done later, by the trace that the task keeps, or at the next start.
        if (copy.isOnTape) await tapes.forgetList(copy.uuid);
        else {
          await removeCopy({ storagePath: copy.storagePath, copyId: copy.uuid, zeroing: copy.zeroing });
        }
      },
    };
  } catch (error) {
    await tapes.giveUp(uuid);
    return tapeEnd(error);
  }
}

/** What has changed since the task began ends it with a message; anything else is a bug or a failing database. */
export async function commitOrRefuse<R>(commit: () => Promise<R>): Promise<R> {
  try {
    return await commit();
  } catch (error) {
    if (error instanceof Refusal) throw new CommitRefused(error.message);
    throw error;
  }
}
