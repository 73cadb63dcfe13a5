import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commands } from '../../../contract/bridge.ts';
import { defaultSettings } from '../../../contract/desktop/settings.ts';
import { type FileCalls, realFileCalls } from '../../../main/platform/atomic-file.ts';
import { createSettingsStore } from '../../../main/settings/settings-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-settings-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const path = () => join(folder, 'settings.json');
const open = () => createSettingsStore({ path: path(), onTrouble: () => undefined, gatherMs: 0 });
/** Longer than any test: what is gathered is written for another reason, or not at all. */
const never = 2 ** 30;
const table = (search: string) => ({
  search,
  selection: [3, 1],
  sort: { field: 'id', order: 'desc' as const },
});

describe('settings', () => {
  it('keep filter, sort, selection and sizes over a restart, one table at a time (case 45)', async () => {
    const store = open();
    await store.load();
    await store.set({ tables: { 'a/Tasks': table('x') }, panels: { details: 400 } });
    await store.set({ tables: { 'a/Copies': table('y') }, theme: 'dark' });
    await store.set({ panels: { navigation: 200 } });
    const again = await open().load();
    expect(again).toMatchObject({
      theme: 'dark',
      tables: { 'a/Tasks': table('x'), 'a/Copies': table('y') },
      panels: { details: 400, navigation: 200 },
    });
  });

  it('keep the views of each list over a restart, and drop those that cannot be used', async () => {
    const view = { name: 'Failed', search: '', sort: null, filters: { status: 'error' }, columns: [] };
    const store = open();
    await store.load();
    await store.set({ views: { Tasks: [view] } });
    await store.set({ views: { Copies: [{ ...view, name: 'Old' }] } });
    const path = join(folder, 'settings.json');
    expect((await open().load()).views).toEqual({ Tasks: [view], Copies: [{ ...view, name: 'Old' }] });
    const json = JSON.parse(await readFile(path, 'utf8'));
    json.views.Tasks.push({ name: '' });
    json.views.Copies = 7;
    await writeFile(path, JSON.stringify(json));
    expect((await open().load()).views).toEqual({ Tasks: [view], Copies: [] });
  });

  it('forget a table that is sent as null, and the oldest ones beyond the cap', async () => {
    const store = open();
    await store.load();
    for (let index = 0; index < 205; index++) await store.set({ tables: { [`t${index}`]: table('') } });
    await store.set({ tables: { t204: null, t10: table('kept') } });
    const names = Object.keys(store.get().tables);
    expect(names.length).toBeLessThanOrEqual(200);
    expect(names).toContain('t10');
    expect(names).not.toContain('t204');
    expect(names).not.toContain('t0');
  });

  it('take what can be used from a file that a person has edited', async () => {
    await writeFile(
      join(folder, 'settings.json'),
      JSON.stringify({ theme: 'pink', density: 'compact', tables: { good: table('x'), bad: 7 }, unknown: 1 }),
    );
    expect(await open().load()).toEqual({
      ...defaultSettings,
      density: 'compact',
      tables: { good: table('x') },
    });
  });

  it('refuse a change that the contract does not know', () => {
    const schema = commands['settings.set'].input;
    expect(schema.safeParse({ theme: 'pink' }).success).toBe(false);
    expect(schema.safeParse({ token: 'x' }).success).toBe(false);
    expect(schema.safeParse({ theme: 'dark' }).success).toBe(true);
  });
});

describe('changes of the settings that follow each other', () => {
  const counted = (files: Partial<FileCalls> = {}) => {
    let writes = 0;
    const store = createSettingsStore({
      path: path(),
      onTrouble: () => undefined,
      gatherMs: never,
      files: {
        ...realFileCalls,
        rename: (from, to) => {
          if (to === path()) writes += 1;
          return realFileCalls.rename(from, to);
        },
        ...files,
      },
    });
    return { store, writes: () => writes };
  };
  const section = (name: string) => ({ lastConnection: 'a', lastSection: name });

  it('are one write when they say where a person is, and each knows when it is on the disk', async () => {
    const store = createSettingsStore({ path: path(), onTrouble: () => undefined, gatherMs: 20 });
    const answers = await Promise.all([
      store.set(section('Tasks')),
      store.set({ tables: { 'a/Tasks': table('x') } }),
      store.set({ panels: { details: 400 } }),
    ]);
    expect(answers[0]).toMatchObject({ lastSection: 'Tasks', panels: { details: 400 } });
    expect(await open().load()).toEqual(store.get());
  });

  it('are written at once, all of them, with a choice of a person', async () => {
    const { store, writes } = counted();
    const gone = store.set(section('Tasks'));
    const sized = store.set({ panels: { details: 400 } });
    await store.set({ theme: 'dark' });
    await Promise.all([gone, sized]);
    expect(writes()).toBe(1);
    expect(await open().load()).toMatchObject({
      theme: 'dark',
      lastSection: 'Tasks',
      panels: { details: 400 },
    });
  });

  it('are not lost at quitting, nor are those that come while it goes', async () => {
    const { store, writes } = counted();
    const gone = store.set(section('Tasks'));
    await store.finish();
    expect(await open().load()).toMatchObject({ lastSection: 'Tasks' });
    void store.set({ tables: { 'a/Tasks': table('late') } });
    await store.finish();
    expect(await open().load()).toMatchObject({ tables: { 'a/Tasks': table('late') } });
    await gone;
    expect(writes()).toBe(2);
  });

  it('are refused each when the disk refuses the one write, and the next write has them', async () => {
    let isFull = true;
    const { store } = counted({
      open: (name, flags, mode) => {
        if (isFull && flags === 'wx') return Promise.reject(new Error('ENOSPC: no space left'));
        return realFileCalls.open(name, flags, mode);
      },
    });
    const both = [store.set(section('Tasks')), store.set({ panels: { details: 400 } })];
    const outcomes = Promise.allSettled(both);
    await expect(store.finish()).rejects.toThrow('no space left');
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isFull = false;
    await store.set({ theme: 'dark' });
    expect(await open().load()).toMatchObject({
      theme: 'dark',
      lastSection: 'Tasks',
      panels: { details: 400 },
    });
  });
});
