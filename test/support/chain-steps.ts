import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { utf8Bytes } from '../../backend/platform/byte-path.ts';
import { nativeState } from '../../backend/platform/native.ts';

/** One round of changes, after which another copy is made. */
export interface ChainStep {
  readonly name: string;
  readonly change: (tree: string) => void;
}

/** Adds what the steps change to a tree. */
export function prepareChainTree(tree: string): void {
  const at = (name: string) => path.join(tree, 'chain', name);
  fs.mkdirSync(at('folder/below'), { recursive: true });
  for (let i = 0; i < 20; i += 1) fs.writeFileSync(at(`folder/file ${i}`), `content ${i} `.repeat(500 + i));
  fs.writeFileSync(at('folder/below/deep file'), 'deep '.repeat(3000));
  for (const name of [
    'edited',
    'appended',
    'same times',
    'deleted',
    'renamed',
    'to be a folder',
    'chmod',
    'xattr',
  ]) {
    fs.writeFileSync(at(name), `${name} `.repeat(2000));
  }
  fs.writeFileSync(at('large'), Buffer.alloc(3_000_000, 'large '));
  fs.writeFileSync(at('large appended'), Buffer.alloc(2_500_000, 'log line\n'));
  fs.mkdirSync(at('to be a file'));
  fs.writeFileSync(at('to be a file/inside'), 'inside');
}

export const chainSteps: readonly ChainStep[] = [
  {
    name: 'edited, appended, deleted, and edited without a trace in size and time',
    change: (tree) => {
      const at = (name: string) => path.join(tree, 'chain', name);
      fs.writeFileSync(at('edited'), 'something else');
      fs.appendFileSync(at('appended'), 'one more line');
      fs.appendFileSync(at('large appended'), 'one more line');
      const before = fs.statSync(at('same times'), { bigint: true });
      fs.writeFileSync(at('same times'), 'SAME TIMES '.slice(0, 11).repeat(2000));
      setTimes(at('same times'), before.mtimeNs);
      fs.rmSync(at('deleted'));
    },
  },
  {
    name: 'renamed files and folders, a folder for a file, a file for a folder, a further name',
    change: (tree) => {
      const at = (name: string) => path.join(tree, 'chain', name);
      fs.renameSync(at('renamed'), at('a new name'));
      fs.renameSync(at('folder'), at('another folder'));
      fs.rmSync(at('to be a folder'));
      fs.mkdirSync(at('to be a folder'));
      fs.writeFileSync(at('to be a folder/inside'), 'new');
      fs.rmSync(at('to be a file'), { recursive: true });
      fs.writeFileSync(at('to be a file'), 'now a file');
      fs.linkSync(at('large'), at('a further name of large'));
      fs.rmSync(path.join(tree, 'links', 'hard 1'));
    },
  },
  {
    name: 'other rights and attributes only, and a new file with holes',
    change: (tree) => {
      const at = (name: string) => path.join(tree, 'chain', name);
      fs.chmodSync(at('chmod'), 0o751);
      fs.chmodSync(at('large'), 0o600);
      setXattr(at('xattr'), 'user.new', 'a value');
      setXattr(at('another folder'), 'user.of folder', 'another value');
      fs.chmodSync(path.join(tree, 'metadata', 'attributes'), 0o600);
      const fd = fs.openSync(at('holes'), 'w');
      fs.ftruncateSync(fd, 8_000_000);
      fs.writeSync(fd, Buffer.alloc(100_000, 'x'), 0, 100_000, 4_000_000);
      fs.closeSync(fd);
    },
  },
  {
    name: 'nothing but times, and what had changed before put back',
    change: (tree) => {
      const at = (name: string) => path.join(tree, 'chain', name);
      setTimes(at('edited'), 1_600_000_000_000_000_007n);
      setTimes(at('another folder/file 3'), 1_600_000_000_000_000_007n);
      fs.writeFileSync(at('renamed'), 'renamed '.repeat(2000));
      fs.rmSync(at('large'));
      execFileSync('cp', ['-p', at('large appended'), at('large appended copy')]);
    },
  },
  { name: 'nothing', change: () => undefined },
];

function setTimes(file: string, mtimeNs: bigint): void {
  const state = nativeState();
  if (state.available) state.calls.setTimes(utf8Bytes(file), mtimeNs, mtimeNs);
}

function setXattr(file: string, name: string, value: string): void {
  const state = nativeState();
  if (state.available) state.calls.setXattr(utf8Bytes(file), name, Buffer.from(value));
}
