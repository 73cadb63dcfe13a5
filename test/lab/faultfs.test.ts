import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Fault, faultEnv } from './faultfs.ts';

const writeTwice = `
  const fs = require('node:fs');
  const fd = fs.openSync(process.argv[1], 'w');
  let last = '';
  try {
    fs.writeSync(fd, '01234567');
    console.log(fs.writeSync(fd, Buffer.from('abcdefgh')));
    fs.fsyncSync(fd);
    fs.renameSync(process.argv[1], process.argv[1] + '.done');
  } catch (error) { last = error.code; }
  console.log(last);
`;

test('it counts the calls on the named file only', () => {
  const { folder, log } = attempt({ at: 0 });
  expect(readFileSync(log, 'utf8').trim()).toBe('4'); // two writes, one fsync, one rename
  expect(existsSync(join(folder, 'victim.done'))).toBe(true);
});

test.each(['EIO', 'ENOSPC'] as const)('the chosen call fails with %s', (mode) => {
  const { result, folder } = attempt({ at: 2, mode });
  expect(result.stdout).toBe(`${mode}\n`);
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('01234567');
});

test('killed before the call, the process leaves what it wrote until then', () => {
  const { result, folder } = attempt({ at: 2, mode: 'kill' });
  expect(result.signal).toBe('SIGKILL');
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('01234567');
});

test('a torn write leaves half of it', () => {
  const { result, folder } = attempt({ at: 2, mode: 'torn' });
  expect(result.signal).toBe('SIGKILL');
  expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('01234567abcd');
});

test('after a short write the caller has to write the rest', () => {
  const { folder, log } = attempt({ at: 2, mode: 'short' });
  expect(readFileSync(join(folder, 'victim.done'), 'utf8')).toBe('01234567abcdefgh');
  expect(readFileSync(log, 'utf8').trim()).toBe('5'); // one write more than without the fault
});

test('only the listed calls count', () => {
  const { result } = attempt({ at: 1, mode: 'EIO', ops: ['fsync'] });
  expect(result.stdout).toBe('8\nEIO\n');
});

function attempt(fault: Omit<Fault, 'path' | 'log'>) {
  const folder = mkdtempSync(join(tmpdir(), 'faultfs-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, 'calls.log');
  const env = { ...process.env, ...faultEnv({ ...fault, path: '/victim', log }) };
  const victim = join(folder, 'victim');
  const result = spawnSync(process.execPath, ['-e', writeTwice, victim], { env, encoding: 'utf8' });
  return { result, folder, log };
}
