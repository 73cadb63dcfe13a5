import type { CopyDamage, CopyStatus } from '../../../contract/repository/copy.ts';
import { startVerify, type VerifyRequest, type VerifyResult } from '../../engine/index.ts';
import type { Work, WorkContext } from '../../jobs/index.ts';
import { isFolderThere } from '../../platform/disk-space.ts';
import type { BlockPoolService } from '../block-pools/block-pool-service.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { CopyService, TaskCopy } from '../repository/copy-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { onBlocks } from './copy-source.ts';
import { endFor, follow } from './engine-bridge.ts';
import type { CopyMemoryLimits } from './memory-limit-store.ts';

export interface Verification {
  readonly status: CopyStatus;
  readonly damage: readonly CopyDamage[];
}

const mostKept = 100;
const words = { trusted: 'Trusted', suspicious: 'Suspicious', broken: 'Broken' } as const;

/** The engine's findings in the API's words; the first hundred stay with the copy, the task's log has more. */
export function verificationOf(result: VerifyResult): Verification {
  const damage = result.findings.slice(0, mostKept).map(({ severity, item, message, nextStep }) => ({
    severity,
    item,
    message,
    next_step: nextStep,
  }));
  return { status: words[result.status], damage };
}

/**
 * Reads every byte of a copy again and says what it found. Damage is that of the copies too that build on it and take
 * what is damaged: they are verified with what they take, so that each says what it has lost.
 */
export function createVerifyWork(deps: {
  readonly copies: CopyService;
  readonly tapes: TapeCopyService;
  readonly keys: ClientKeys;
  readonly blockPools: BlockPoolService;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly memory: CopyMemoryLimits;
}): Work {
  const { copies, keys, configuration } = deps;

  async function verifyDependants(
    context: WorkContext,
    copy: TaskCopy,
    reading: Pick<VerifyRequest, 'key' | 'memory'>,
  ): Promise<void> {
    for (const id of await copies.dependantsOf(copy.id)) {
      const dependant = await copies.readCopyForTask(id);
      // One whose storage is away has its status when it is verified itself: then all that it takes is read too.
      if (dependant === null || !(await areThere([dependant, ...dependant.chain]))) continue;
      const { storagePath, uuid: copyId, chain } = dependant;
      const job = startVerify({ storagePath, copyId, chain, isHeldRead: true, ...reading });
      const result = await follow(context, job, 'server');
      await copies.storeVerification(id, verificationOf(result));
      if (result.status === 'trusted') {
        context.log('server', 'info', `Copy ${id} builds on this one and takes nothing that is damaged.`);
        continue;
      }
      for (const { item, message, nextStep } of result.findings) {
        context.log(
          'server',
          'error',
          `Copy ${id}, which builds on this one: ${item}: ${message} ${nextStep}`,
        );
      }
    }
  }

  return onBlocks(deps, async (context, copy, blocks) => {
    await context.moveTo('execution');
    try {
      const key = await keys.read(copy);
      const file = keys.fileOf(copy);
      if (key === null && file !== null) {
        context.log('server', 'warning', `The key of this copy is not there; put back ${file}.`);
      }
      const settings = await configuration.read();
      const isMetadataOnly = blocks !== null && settings.dedup_verify_only_meta_data === 'yes';
      const { storagePath, uuid: copyId, chain } = copy;
      const isHeldRead = copy.isChainDamaged;
      const reading = { key, memory: await deps.memory.ofCopy(copy.id) };
      const job = startVerify({ storagePath, copyId, chain, blocks, isMetadataOnly, isHeldRead, ...reading });
      const result = await follow(context, job, 'server');
      const verification = verificationOf(result);
      for (const finding of result.findings) {
        context.log('server', finding.severity, `${finding.item}: ${finding.message} ${finding.nextStep}`);
      }
      await context.moveTo('at_server');
      // Before the task ends: who sees it done finds the copy's status. It is true whatever becomes of the task.
      await copies.storeVerification(copy.id, verification);
      if (verification.status === 'Trusted') {
        const data = isMetadataOnly ? ' All blocks are there; their data were not read.' : '';
        context.log('server', 'info', `${whatWasRead(result)} were read and are right.${data}`);
        return { kind: 'done', skippedItems: null, transferredBytes: result.bytesRead };
      }
      await verifyDependants(context, copy, reading);
      const message = `The copy is ${verification.status.toLowerCase()}: ${result.findingsTotal} findings, listed in the log.`;
      return { kind: 'error', message };
    } catch (error) {
      return endFor(error, { waitsForSpace: false });
    }
  });
}

async function areThere(places: readonly { readonly storagePath: string }[]): Promise<boolean> {
  for (const storagePath of new Set(places.map((place) => place.storagePath))) {
    if (!(await isFolderThere(storagePath))) return false;
  }
  return true;
}

/** A warning says what was left unchecked: then not all is known to be right. */
function whatWasRead({ bytesRead, findings }: VerifyResult): string {
  return findings.length === 0 ? `All ${bytesRead} bytes` : `${bytesRead} stored bytes`;
}
