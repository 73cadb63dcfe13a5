import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileCalls, realFileCalls, writeAtomically } from '../../../main/platform/atomic-file.ts';
import { accountKey, type Profile } from '../../../main/profiles/profile.ts';
import { createProfileStore } from '../../../main/profiles/profile-store.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'strongroom-profiles-')), `Ünï çödé (x86) 100%'s`);
  await mkdir(folder);
});
afterEach(async () => {
  await rm(join(folder, '..'), { recursive: true, force: true });
});

const aProfile = (id: string): Profile => ({
  id,
  name: `Server ${id}`,
  kind: 'remote',
  address: `https://${id}.example:5656`,
  database: 'strongroom',
  userName: 'admin',
  authType: 'database',
  domain: '',
  remember: true,
  group: '',
  colour: 'none',
  zone: '',
  loginForm: 'five',
  pin: null,
});

function open(files: Partial<FileCalls> = {}) {
  const troubles: string[] = [];
  const path = join(folder, 'connections.json');
  const store = createProfileStore({
    path,
    onTrouble: (message) => troubles.push(message),
    files: { ...realFileCalls, ...files },
  });
  return { store, troubles, path };
}

async function saveTwo(): Promise<string> {
  const { store, path } = open();
  await store.load();
  await store.put(aProfile('a'));
  await store.put(aProfile('b'));
  return path;
}

const faulty = (code: string): Error => Object.assign(new Error(code), { code });

describe('saved connections', () => {
  it('of before there were groups and colours are read, and have neither', async () => {
    const path = await saveTwo();
    const file = JSON.parse(await readFile(path, 'utf8'));
    for (const one of file.connections) {
      delete one.group;
      one.colour = 'a colour of another version';
    }
    await writeFile(path, JSON.stringify(file));
    const { store, troubles } = open();
    expect((await store.load()).map(({ group, colour }) => [group, colour])).toEqual([
      ['', 'none'],
      ['', 'none'],
    ]);
    expect(troubles).toEqual([]);
  });

  it('come back after a restart, changed and removed ones included', async () => {
    await saveTwo();
    const { store } = open();
    await store.load();
    await store.put({ ...aProfile('a'), name: 'Prague' });
    await store.remove('b');
    const again = open();
    expect(await again.store.load()).toEqual([{ ...aProfile('a'), name: 'Prague' }]);
    expect(again.troubles).toEqual([]);
  });

  it('are readable by their owner only', async () => {
    const path = await saveTwo();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['cut short', (path: string) => truncate(path, 40)],
    ['empty', (path: string) => truncate(path, 0)],
    ['full of zeros', async (path: string) => writeFile(path, Buffer.alloc((await stat(path)).size))],
    ['a lone brace', (path: string) => writeFile(path, '{')],
    ['JSON of another kind', (path: string) => writeFile(path, '[1]')],
    ['from a newer version', (path: string) => writeFile(path, '{"version":99,"connections":[]}')],
  ])(
    'are taken from the last good copy when the file is %s; the bad one is kept aside (case 15)',
    async (_name, damage) => {
      const path = await saveTwo();
      await damage(path);
      const bad = await readFile(path);
      const { store, troubles } = open();
      expect((await store.load()).map(({ id }) => id)).toEqual(['a', 'b']);
      expect(troubles).toHaveLength(1);
      expect(troubles[0]).toMatch(/last good copy/);
      const aside = (await readdir(folder)).find((name) => name.includes('.bad-'));
      expect(await readFile(join(folder, aside ?? ''))).toEqual(bad);
      const next = open();
      expect((await next.store.load()).map(({ id }) => id)).toEqual(['a', 'b']);
      expect(next.troubles).toEqual([]);
    },
  );

  it('start empty, with one notice, when both copies are damaged', async () => {
    const path = await saveTwo();
    await writeFile(path, '{');
    await writeFile(`${path}.last-good`, '{');
    const { store, troubles } = open();
    expect(await store.load()).toEqual([]);
    expect(troubles).toHaveLength(1);
    await store.put(aProfile('c'));
    expect(await open().store.load()).toHaveLength(1);
  });

  it('leave out the one that cannot be read and keep the others', async () => {
    const path = await saveTwo();
    const text = (await readFile(path, 'utf8')).replace('"Server a"', '7');
    await writeFile(path, text);
    const { store, troubles } = open();
    expect((await store.load()).map(({ id }) => id)).toEqual(['b']);
    expect(troubles[0]).toMatch(/1 of 2/);
  });

  it.each(['EPERM', 'EBUSY'])(
    'are saved although %s refuses the rename three times (case 17)',
    async (code) => {
      let refusals = 3;
      const { store } = open({
        rename: async (from, to) => {
          if (refusals-- > 0) throw faulty(code);
          await realFileCalls.rename(from, to);
        },
        wait: async () => undefined,
      });
      await store.put(aProfile('a'));
      expect(refusals).toBeLessThan(0);
      expect(await open().store.load()).toHaveLength(1);
    },
  );

  it('stay as they were, here and on the disk, when the disk is full', async () => {
    await saveTwo();
    const { store } = open({
      open: async (path, flags, mode) => {
        if (flags === 'wx') throw faulty('ENOSPC');
        return realFileCalls.open(path, flags, mode);
      },
    });
    await store.load();
    await expect(store.put(aProfile('c'))).rejects.toThrow('ENOSPC');
    expect(store.all().map(({ id }) => id)).toEqual(['a', 'b']);
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(await open().store.load()).toHaveLength(2);
  });

  it('are on the disk, name included, before the save is done', async () => {
    const order: string[] = [];
    const files: FileCalls = {
      ...realFileCalls,
      open: async (path, flags, mode) => {
        const handle = await realFileCalls.open(path, flags, mode);
        const sync = handle.sync.bind(handle);
        handle.sync = async () => {
          order.push(flags === 'wx' ? 'sync file' : 'sync folder');
          await sync();
        };
        return handle;
      },
      rename: async (from, to) => {
        order.push('rename');
        await realFileCalls.rename(from, to);
      },
    };
    await writeAtomically(join(folder, 'x.json'), '{}', files);
    expect(order).toEqual(['sync file', 'rename', 'sync folder']);
  });
});

describe('the name of a session in the keychain', () => {
  it('is bound to origin, kind of account, domain and user, and no two accounts share it', () => {
    const base = aProfile('a');
    expect(accountKey(base)).toBe('https://a.example:5656|database||admin');
    const keys = [
      base,
      { ...base, address: 'https://b.example:5656' },
      { ...base, authType: 'domain' as const, domain: 'CORP' },
      { ...base, userName: '|admin' },
      { ...base, authType: 'domain' as const, domain: 'CORP|', userName: 'admin' },
      { ...base, authType: 'domain' as const, domain: 'CORP', userName: '|admin' },
    ].map(accountKey);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
