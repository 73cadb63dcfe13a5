import { execFileSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mib, tapeTasks } from './tape-task-lab.ts';

const reason = whyNot();

function whyNot(): string | null {
  if (process.platform !== 'linux') return 'small disks are made with Linux’ tmpfs';
  return process.getuid?.() === 0 ? null : 'only root can mount';
}

if (reason !== null) process.stderr.write(`skipped: tapes whose spool has no room, since ${reason}\n`);

const tapes = tapeTasks();

/** The folder of what comes from tape gets a disk of one megabyte for as long as the work goes on. */
async function withSmallSpool(work: () => Promise<void>): Promise<void> {
  const spool = join(tapes.lab.app.dataDir, 'tape-spool');
  await mkdir(spool, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', spool]);
  try {
    await work();
    expect(await readdir(spool)).toEqual([]);
  } finally {
    execFileSync('umount', ['-l', spool]);
  }
}

describe.skipIf(reason !== null)('a spool of tapes on a disk that is full', () => {
  it('fails what needs it, says where room is missing, harms nothing, and is empty afterwards (case 83)', async () => {
    await tapes.start({ cartridgeBytes: 24 * mib });
    const { queue, folder } = tapes.lab;
    await mkdir(join(folder.path, 'far'));
    await queue.addPool('Far', join(folder.path, 'far'));
    await tapes.fill(5 * mib);
    const onTape = await tapes.done(await tapes.toTape());
    await withSmallSpool(async () => {
      for (const begin of [queue.verify, (id: number) => queue.copyTo(id, 'Far')]) {
        const task = await queue.ended(await begin(onTape.id));
        expect(task.status).toBe('error');
        expect(task.error_message).toContain(join(tapes.lab.app.dataDir, 'tape-spool'));
        expect(task.error_message).toMatch(/full/);
      }
      expect(await readdir(join(folder.path, 'far'))).toEqual([]);
    });
    // The tape is not to blame.
    expect((await queue.copy(onTape.id)).damage).toBeNull();
    const copied = await tapes.done(await queue.copyTo(onTape.id, 'Far'));
    await tapes.restoresEqual(copied);
    await tapes.done(await queue.verify(onTape.id));
    expect((await queue.copy(onTape.id)).status).toBe('Trusted');
  }, 120_000);
});
