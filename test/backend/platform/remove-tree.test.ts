import fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fsPath } from '../../../backend/platform/byte-path.ts';
import { removeTree } from '../../../backend/platform/remove-tree.ts';
import { buildAwkwardTree } from '../../support/awkward-tree.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
beforeEach(async () => {
  folder = await makeTempDir('remove-tree');
});
afterEach(() => folder.remove());

it('removes a tree with every name, depth and right, and nothing that a link in it leads to', async () => {
  const outside = join(folder.path, 'outside');
  fs.mkdirSync(outside);
  fs.writeFileSync(join(outside, 'kept'), 'kept');
  const tree = join(folder.path, 'tree');
  buildAwkwardTree(tree);
  fs.symlinkSync(outside, join(tree, 'way out'));
  fs.mkdirSync(fsPath(`${tree}/\xfe shut`), { mode: 0o700 });
  fs.writeFileSync(fsPath(`${tree}/\xfe shut/inside`), 'x');
  fs.chmodSync(fsPath(`${tree}/\xfe shut`), 0o000);
  await removeTree(tree);
  expect(fs.readdirSync(folder.path)).toEqual(['outside']);
  expect(fs.readdirSync(outside)).toEqual(['kept']);
});

it('a folder that is not there is no error, and a link is removed alone', async () => {
  await removeTree(join(folder.path, 'nothing'));
  const target = join(folder.path, 'target');
  fs.mkdirSync(target);
  fs.symlinkSync(target, join(folder.path, 'link'));
  await removeTree(join(folder.path, 'link'));
  expect(fs.readdirSync(folder.path)).toEqual(['target']);
});
