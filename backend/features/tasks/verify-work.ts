import type { CopyDamage, CopyStatus } from '../../../contract/repository/copy.ts';
import { startVerify, type VerifyResult } from '../../engine/index.ts';
import type { Work } from '../../jobs/index.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { CopyService } from '../repository/copy-service.ts';
import { onCopy } from './copy-source.ts';
import { endFor, follow } from './engine-bridge.ts';

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

/** Reads every byte of a copy again and says what it found. */
export function createVerifyWork(deps: { readonly copies: CopyService; readonly keys: ClientKeys }): Work {
  const { copies, keys } = deps;
  return onCopy(copies, async (context, copy) => {
    await context.moveTo('execution');
    try {
      const key = await keys.read(copy);
      const file = keys.fileOf(copy);
      if (key === null && file !== null) {
        context.log('server', 'warning', `The key of this copy is not there; put back ${file}.`);
      }
      const job = startVerify({ storagePath: copy.storagePath, copyId: copy.uuid, key, chain: copy.chain });
      const result = await follow(context, job, 'server');
      const verification = verificationOf(result);
      for (const finding of result.findings) {
        context.log('server', finding.severity, `${finding.item}: ${finding.message} ${finding.nextStep}`);
      }
      await context.moveTo('at_server');
      // Before the task ends: who sees it done finds the copy's status. It is true whatever becomes of the task.
      await copies.storeVerification(copy.id, verification);
      if (verification.status === 'Trusted') {
        context.log('server', 'info', `${whatWasRead(result)} were read and are right.`);
        return { kind: 'done', skippedItems: null, transferredBytes: result.bytesRead };
      }
      const message = `The copy is ${verification.status.toLowerCase()}: ${result.findingsTotal} findings, listed in the log.`;
      return { kind: 'error', message };
    } catch (error) {
      return endFor(error, { waitsForSpace: false });
    }
  });
}

/** A warning says what was left unchecked: then not all is known to be right. */
function whatWasRead({ bytesRead, findings }: VerifyResult): string {
  return findings.length === 0 ? `All ${bytesRead} bytes` : `${bytesRead} stored bytes`;
}
