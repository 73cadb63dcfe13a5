import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startTapeLibrary } from './tape-library.ts';

const run = promisify(execFile);

test('two libraries run side by side, each with its cartridges, and nothing is left of them', async () => {
  const one = await startTapeLibrary({ barcodes: ['ONE001L8'] });
  const two = await startTapeLibrary({ barcodes: ['TWO001L8', 'CLN001L1'] });
  expect(one.port).not.toBe(two.port);
  const shown = await one.adm('--op', 'show', '--mode', 'target');
  expect(shown).toContain(one.iqn);
  expect(shown).not.toContain(two.iqn);
  const { mediaFolder, pid } = two;
  expect(existsSync(`${mediaFolder}/CLN001L1`)).toBe(true);
  await one.stop();
  await two.stop();
  expect(existsSync(mediaFolder)).toBe(false);
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  expect(stdout.trim()).toMatch(/^(Z.*)?$/);
});

test('after a power cut it starts again with its cartridges', async () => {
  const lab = await startTapeLibrary({ barcodes: ['A00001L8'] });
  await lab.kill();
  await lab.restart();
  expect(await lab.adm('--op', 'show', '--mode', 'target')).toContain(lab.iqn);
  await lab.stop();
});
