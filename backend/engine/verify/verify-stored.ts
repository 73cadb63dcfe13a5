import { LOCK_NAME } from '../crypto/lock-name.ts';
import { readSums, SUMS_NAME, sumFaults } from '../crypto/stored-sums.ts';
import { toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import type { Findings } from './findings.ts';

const NEW_BACKUP = 'Make a new backup.';
const RESTORE_ELSEWHERE = 'Restore from another copy if you need it, and make a new backup.';

/** The small files of an encrypted copy: the sums' own, and the lock. */
export function checkLockFiles(copyPath: string, lockFault: string | null, findings: Findings): void {
  if (lockFault !== null) {
    const nextStep = `Put ${LOCK_NAME} back from another copy of this storage if there is one. ${NEW_BACKUP}`;
    findings.add({ severity: 'error', item: LOCK_NAME, message: lockFault, nextStep }, false);
  }
  const sums = readSums(copyPath);
  if (sums !== null && sums !== 'missing') return;
  const isMissing = sums === 'missing';
  const message = isMissing ? 'it is not there.' : 'it is not what was written.';
  const nextStep = `Without it the copy can only be verified with its client's key. ${NEW_BACKUP}`;
  findings.add({ severity: 'error', item: SUMS_NAME, message, nextStep }, isMissing);
}

/**
 * Every stored byte, or those of one file, against the sums that were written with it; answers the bytes read. Needs no
 * key.
 */
export function checkStoredBytes(
  copyPath: string,
  control: Control,
  findings: Findings,
  only: string | null = null,
): number {
  const summed = readSums(copyPath);
  let bytesRead = 0;
  if (summed === null || summed === 'missing') return bytesRead;
  const files = summed.filter((file) => only === null || file.name === only);
  // Of one file it is a small part of other work, which counts what it does itself.
  const isAll = only === null;
  if (isAll) control.set('bytesTotal', sumOf(files));
  for (const file of files) {
    try {
      const faults = sumFaults(copyPath, file, (bytes) => {
        control.check();
        if (isAll) control.add('bytesDone', bytes);
        control.add('transferredBytes', bytes);
        bytesRead += bytes;
      });
      for (const { from, to, isMissing } of faults) {
        const item = `${file.name}, bytes ${from} to ${to}`;
        const message = isMissing ? 'they are missing.' : 'they are not what was written.';
        findings.add({ severity: 'error', item, message, nextStep: RESTORE_ELSEWHERE }, isMissing);
      }
    } catch (error) {
      const refused = toDeviceError(error, 'It cannot be read');
      if (!('kind' in refused) || refused.kind === 'cancelled') throw refused;
      const finding = { severity: 'error', item: file.name, message: refused.message } as const;
      findings.add({ ...finding, nextStep: RESTORE_ELSEWHERE }, true);
    }
  }
  return bytesRead;
}

function sumOf(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}

/** What can only be looked at with the key. */
export function noteUnchecked(findings: Findings): void {
  findings.add(
    {
      severity: 'warning',
      item: 'encrypted data',
      message:
        'only the stored bytes were compared with their sums; names, contents and their hashes could not be checked without the key of the client.',
      nextStep: "Verify the copy again where the client's key is.",
    },
    false,
  );
}
