import fs from 'node:fs';
import { type ByteString, fsPath } from '../../platform/byte-path.ts';

/** statfs types (linux/magic.h) of file systems whose files the kernel makes up when they are asked for. */
const MADE_UP: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x1cd1, // devpts
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0xcafe4a11, // bpf
  0x6165676c, // pstore
  0x19800202, // mqueue
  0x62656570, // configfs
  0xf97cff8c, // selinuxfs
  0xde5e81e4, // efivarfs
  0x958458f6, // hugetlbfs
]);

/** Asked only where a tree crosses into another file system. */
export function isMadeByKernel(call: ByteString): boolean {
  try {
    return MADE_UP.has(fs.statfsSync(fsPath(call)).type >>> 0);
  } catch {
    // Whatever it is, entering it tells what is wrong, and the item is listed.
    return false;
  }
}
