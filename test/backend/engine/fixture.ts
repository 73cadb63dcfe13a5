import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  type BackupResult,
  type Compression,
  type RestoreRequest,
  type RestoreResult,
  startBackup,
  startRestore,
  startVerify,
  type VerifyResult,
} from '../../../backend/engine/index.ts';
import { FRAME_BYTES } from '../../../backend/engine/job/ring.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

/** A storage in a folder of its own, and the engine's jobs on it. */
export interface Fixture {
  readonly folder: string;
  readonly storagePath: string;
  readonly backUp: (source: string, compression?: Compression, frameBytes?: number) => Promise<Copy>;
  readonly verify: (copy: Copy) => Promise<VerifyResult>;
  readonly restore: (
    copy: Copy,
    destination: string,
    more?: Partial<RestoreRequest>,
  ) => Promise<RestoreResult>;
  /** Nothing is in the storage any more. */
  readonly clear: () => void;
  readonly remove: () => Promise<void>;
}

export interface Copy extends BackupResult {
  readonly copyId: string;
}

export async function makeFixture(name: string): Promise<Fixture> {
  const temp = await makeTempDir(name);
  const storagePath = path.join(temp.path, 'storage');
  await mkdir(storagePath);
  return {
    folder: temp.path,
    storagePath,
    backUp: async (source, compression = 'Optimal', frameBytes = FRAME_BYTES) => {
      const copyId = randomUUID();
      const result = await startBackup({ source, storagePath, copyId, compression, frameBytes }).result;
      return { ...result, copyId };
    },
    verify: (copy) => startVerify({ storagePath, copyId: copy.copyId }).result,
    restore: (copy, destination, more = {}) =>
      startRestore({
        storagePath,
        copyId: copy.copyId,
        destination,
        onExisting: 'replace',
        forbidden: [storagePath],
        ...more,
      }).result,
    clear: () => {
      for (const name of readdirSync(storagePath)) rmSync(path.join(storagePath, name), { recursive: true });
    },
    // Not Node's own rm: it cannot remove folders beyond the longest path.
    remove: async () => void (await promisify(execFile)('rm', ['-rf', '--', temp.path])),
  };
}
