import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changedNativeModules } from '../../../main/platform/native-modules.ts';

let resources: string;
beforeEach(async () => {
  resources = await mkdtemp(join(tmpdir(), 'strongroom-native-'));
  await mkdir(join(resources, 'app'));
  for (const name of ['a.node', 'b.node']) await writeFile(join(resources, 'app', name), name);
});
afterEach(() => rm(resources, { recursive: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const list = (entries: object) => writeFile(join(resources, 'native-modules.json'), JSON.stringify(entries));

test('native modules are those that were packed, or are named', async () => {
  await list({ 'app/a.node': sha256('a.node'), 'app/b.node': sha256('b.node') });
  expect(await changedNativeModules(resources)).toEqual([]);
  await writeFile(join(resources, 'app', 'b.node'), 'another');
  await rm(join(resources, 'app', 'a.node'));
  expect(await changedNativeModules(resources)).toEqual(['app/a.node', 'app/b.node']);
});

test('an app that is not packed has no list, and a list that is damaged is no empty one', async () => {
  expect(await changedNativeModules(resources)).toEqual([]);
  await list({ 'app/a.node': 'no hash' });
  await expect(changedNativeModules(resources)).rejects.toThrow();
});
