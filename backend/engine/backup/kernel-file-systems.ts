import fs from 'node:fs';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';

/** statfs types (linux/magic.h) of file systems whose files the kernel makes up when they are asked for, by their names. */
const MADE_UP: ReadonlyMap<string, number> = new Map([
  ['proc', 0x9fa0],
  ['sysfs', 0x62656572],
  ['devpts', 0x1cd1],
  ['cgroup', 0x27e0eb],
  ['cgroup2', 0x63677270],
  ['debugfs', 0x64626720],
  ['tracefs', 0x74726163],
  ['securityfs', 0x73636673],
  ['bpf', 0xcafe4a11],
  ['pstore', 0x6165676c],
  ['mqueue', 0x19800202],
  ['configfs', 0x62656570],
  ['selinuxfs', 0xf97cff8c],
  ['efivarfs', 0xde5e81e4],
  ['hugetlbfs', 0x958458f6],
]);
const MADE_UP_TYPES: ReadonlySet<number> = new Set(MADE_UP.values());

/** `name`: as the mount table calls it. */
export function isNameOfMadeUp(name: string): boolean {
  return MADE_UP.has(name);
}

/** Asked only where a tree crosses into another file system. */
export function isMadeByKernel(call: ByteString): boolean {
  try {
    return MADE_UP_TYPES.has(fs.statfsSync(fsPath(call)).type >>> 0);
  } catch {
    // Whatever it is, entering it tells what is wrong, and the item is listed.
    return false;
  }
}
