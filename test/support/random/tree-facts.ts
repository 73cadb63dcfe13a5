import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { nativeState } from '../../../backend/platform/native.ts';

/** One line for each item of a tree, by its path: all that a copy must bring back. */
export type TreeFacts = ReadonlyMap<string, string>;

/**
 * What a tree is at this moment: kinds, contents, modes, owners, times in nanoseconds, targets of links, which names are one
 * file, attributes. For trees with ordinary names; `compareTrees` is for the others.
 */
export function treeFacts(root: string): TreeFacts {
  const facts = new Map<string, string>();
  const firstNames = new Map<string, string>();
  const visit = (shown: string): void => {
    const full = path.join(root, shown);
    const stat = fs.lstatSync(full, { bigint: true });
    facts.set(shown, [...lineOf(full, stat), sameFile(shown, stat, firstNames)].join(' '));
    if (!stat.isDirectory()) return;
    for (const name of fs.readdirSync(full).toSorted()) visit(path.join(shown, name));
  };
  visit('.');
  return facts;
}

/** What is different, as lines to read; empty when the trees are the same. */
export function differences(expected: TreeFacts, actual: TreeFacts): readonly string[] {
  const paths = new Set([...expected.keys(), ...actual.keys()]);
  return [...paths].flatMap((each) => {
    const [was, is] = [expected.get(each), actual.get(each)];
    return was === is ? [] : [`${each}: ${is ?? 'is missing'}, not ${was ?? 'there at all'}`];
  });
}

function lineOf(full: string, stat: fs.BigIntStats): readonly string[] {
  const owner = `${stat.uid}:${stat.gid}`;
  if (stat.isSymbolicLink()) return ['link', fs.readlinkSync(full), owner, String(stat.mtimeNs)];
  const common = [(stat.mode & 0o7777n).toString(8), owner, String(stat.mtimeNs), attributesOf(full)];
  if (stat.isDirectory()) return ['folder', ...common];
  if (stat.isFIFO()) return ['fifo', ...common];
  const hash = createHash('sha256').update(fs.readFileSync(full)).digest('hex').slice(0, 24);
  return ['file', ...common, String(stat.size), hash];
}

function sameFile(shown: string, stat: fs.BigIntStats, firstNames: Map<string, string>): string {
  if (stat.isDirectory() || stat.nlink < 2n) return '';
  const key = `${stat.dev}:${stat.ino}`;
  const first = firstNames.get(key) ?? shown;
  firstNames.set(key, first);
  return `=${first}`;
}

function attributesOf(full: string): string {
  const state = nativeState();
  if (!state.available) return '';
  const names = state.calls.listXattrs(full).filter((name) => name.startsWith('user.'));
  return names.map((name) => `${name}=${state.calls.getXattr(full, name).toString('hex')}`).join(',');
}
