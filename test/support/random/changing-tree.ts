import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { nativeState } from '../../../backend/platform/native.ts';
import type { Seeded } from './seeded.ts';

const kib = 1024;
const mostItems = 40;

/** A small folder with files of all sizes up to some hundred kilobytes, links, and folders in folders. */
export function makeChangingTree(root: string, random: Seeded): void {
  fs.mkdirSync(root, { recursive: true });
  for (let item = 0; item < 14; item += 1) addItem(root, random);
}

/** Some changes: items are made, written, renamed, deleted, become another kind, or get other rights and times. */
export function changeTree(root: string, random: Seeded): void {
  for (let change = random.between(1, 6); change > 0; change -= 1) changeOne(root, random);
}

function changeOne(root: string, random: Seeded): void {
  const all = itemsOf(root);
  if (all.length < 5) {
    addItem(root, random);
    return;
  }
  const kind = random.weighted({
    add: 3,
    write: 4,
    rename: 2,
    remove: all.length > mostItems ? 8 : 2,
    kind: 1,
    facts: 2,
    links: 1,
  });
  const target = random.pick(all);
  const stat = fs.lstatSync(target);
  if (kind === 'add') addItem(root, random);
  if (kind === 'write' && stat.isFile()) write(target, random);
  if (kind === 'rename') rename(root, target, random);
  if (kind === 'remove') fs.rmSync(target, { recursive: true });
  if (kind === 'kind') {
    fs.rmSync(target, { recursive: true });
    make(target, random);
  }
  if (kind === 'facts' && !stat.isSymbolicLink()) changeFacts(target, random);
  if (kind === 'links' && stat.isFile()) fs.linkSync(target, freeName(path.dirname(target), random));
}

function addItem(root: string, random: Seeded): void {
  const folders = [root, ...itemsOf(root).filter((item) => fs.lstatSync(item).isDirectory())];
  make(freeName(random.pick(folders), random), random);
}

function make(target: string, random: Seeded): void {
  const kind = random.weighted({ file: 12, folder: 3, link: 1, fifo: 1, holes: 1 });
  if (kind === 'folder') fs.mkdirSync(target);
  else if (kind === 'link') fs.symlinkSync(random.pick(['nowhere', '../up', 'a name with spaces']), target);
  else if (kind === 'fifo') execFileSync('mkfifo', [target]);
  else if (kind === 'holes') makeSparse(target, random);
  else fs.writeFileSync(target, content(random));
}

function makeSparse(target: string, random: Seeded): void {
  const fd = fs.openSync(target, 'w');
  fs.ftruncateSync(fd, 512 * kib);
  fs.writeSync(fd, random.bytes(5 * kib), 0, 5 * kib, 64 * kib * random.below(8));
  fs.closeSync(fd);
}

/** Some of it compresses, some does not, some is the same in many files. */
function content(random: Seeded): Buffer {
  const kind = random.weighted({ empty: 1, tiny: 4, text: 3, random: 3, common: 2, large: 1 });
  if (kind === 'empty') return Buffer.alloc(0);
  if (kind === 'tiny') return Buffer.from(`a note ${random.below(1_000_000)}\n`);
  if (kind === 'text')
    return Buffer.alloc(random.between(1, 60 * kib), `line ${random.below(1000)} of a text\n`);
  if (kind === 'common') return Buffer.alloc(40 * kib, `the same in many files ${random.below(4)}, `);
  return random.bytes(random.between(1, (kind === 'large' ? 400 : 50) * kib));
}

function write(target: string, random: Seeded): void {
  const before = fs.readFileSync(target);
  const how = random.weighted({ whole: 2, append: 2, inside: 2, cut: 1 });
  if (how === 'whole' || before.length === 0) fs.writeFileSync(target, content(random));
  else if (how === 'append') fs.appendFileSync(target, random.bytes(random.between(1, 9000)));
  else if (how === 'cut') fs.truncateSync(target, random.below(before.length));
  else {
    const at = random.below(before.length);
    before[at] = (before[at] ?? 0) ^ 1;
    fs.writeFileSync(target, before);
  }
}

function rename(root: string, target: string, random: Seeded): void {
  const folders = [root, ...itemsOf(root)].filter(
    (item) => fs.lstatSync(item).isDirectory() && !`${item}/`.startsWith(`${target}/`),
  );
  fs.renameSync(target, freeName(random.pick(folders), random));
}

function changeFacts(target: string, random: Seeded): void {
  const how = random.weighted({ mode: 2, times: 2, attribute: 1 });
  if (how === 'mode') fs.chmodSync(target, random.pick([0o600, 0o644, 0o700, 0o751, 0o755]));
  if (how === 'times')
    fs.utimesSync(target, 1_600_000_000 + random.below(1e8), 1_600_000_000 + random.below(1e8));
  const state = nativeState();
  if (how === 'attribute' && state.available && !fs.lstatSync(target).isFIFO()) {
    state.calls.setXattr(target, 'user.note', Buffer.from(`value ${random.below(1000)}`));
  }
}

function freeName(folder: string, random: Seeded): string {
  for (;;) {
    const name = path.join(
      folder,
      `${random.pick(['a', 'b', 'note', 'with space', 'x'])} ${random.below(10_000)}`,
    );
    if (fs.lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
}

/** All below the root, in one order. */
function itemsOf(root: string): readonly string[] {
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .map((item) => path.join(item.parentPath, item.name))
    .toSorted();
}
