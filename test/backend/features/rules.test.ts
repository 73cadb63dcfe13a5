import { describe, expect, it } from 'vitest';
import { whyGroupStays } from '../../../backend/features/client-groups/client-group-rules.ts';
import { planClientChange, whyClientStays } from '../../../backend/features/clients/client-rules.ts';
import {
  completeConfiguration,
  planChange,
} from '../../../backend/features/configuration/configuration-rules.ts';
import { whyMediaServerStays } from '../../../backend/features/media-servers/media-server-rules.ts';
import {
  compressionOf,
  destinationsFor,
  fitParameters,
  readPoolType,
  whyPoolStays,
} from '../../../backend/features/pools/pool-rules.ts';
import {
  normalisePath,
  whyPathIsRefused,
  whyStorageStays,
} from '../../../backend/features/storages/storage-rules.ts';
import { keepsSuperuser, whyRolesAreRefused } from '../../../backend/features/users/user-rules.ts';
import { poolTypes } from '../../../contract/pools/pool.ts';

describe('types of pools', () => {
  it.each(poolTypes)('has %s', (type) => expect(readPoolType(type)).toEqual({ ok: true, type }));

  it.each(['Tape library, LTFS', 'Tape library, Native'])('takes %s as a tape library', (spelling) => {
    expect(readPoolType(spelling)).toEqual({ ok: true, type: 'Tape library' });
  });

  it.each(['file system', 'Block device, gen.2', '', '__proto__', 'constructor'])(
    'does not know %j',
    (type) => {
      expect(readPoolType(type)).toMatchObject({ ok: false });
    },
  );
});

describe('parameters of a pool', () => {
  it('that do not fit the type are left out, whatever they hold (case 133)', () => {
    const fitted = fitParameters('File system', {
      block_size: 'many',
      algorithm: 7,
      compression_type: 'Fast',
    });
    expect(fitted).toEqual({ ok: true, values: { compression_type: 'Fast' } });
    expect(fitParameters('Client defined', { compression_type: 'nonsense' })).toEqual({
      ok: true,
      values: {},
    });
  });

  it('that fit are checked, each with its own reason', () => {
    expect(fitParameters('File system', { compression_type: 'fast' })).toMatchObject({
      ok: false,
      errors: { compression_type: expect.stringContaining('None, Fast, Optimal, Best') },
    });
    const block = fitParameters('Block device', { block_size: 1000, algorithm: 'md5', compression_type: 5 });
    expect(block.ok ? [] : Object.keys(block.errors).sort()).toEqual(['algorithm', 'block_size']);
  });

  it('are uncompressed unless told, and have no compression where the type has none', () => {
    expect(compressionOf('File system', {})).toBe('None');
    expect(compressionOf('File system', { compression_type: null })).toBe('None');
    expect(compressionOf('File system', { compression_type: 'Best' })).toBe('Best');
    expect(compressionOf('Block device', { compression_type: 'Best' })).toBeNull();
  });
});

describe('what keeps a pool', () => {
  const none = {
    copies: 0,
    storages: 0,
    libraries: 0,
    cartridges: 0,
    activeTasks: 0,
    dataPools: 0,
    clients: 0,
    strategies: 0,
  };
  const free = { id: 2, name: 'Archive', ...none };
  it('is nothing when it is empty', () => expect(whyPoolStays(free)).toBeNull());
  it.each([
    [{ copies: 2 }, 'holds 2 backup copies'],
    [{ storages: 1 }, 'has 1 storage'],
    [{ libraries: 1 }, 'belongs to 1 tape library'],
    [{ cartridges: 4 }, 'has 4 cartridges'],
    [{ activeTasks: 1 }, 'used by 1 active task'],
    [{ dataPools: 3 }, 'metadata of 3 pools'],
    [{ clients: 1 }, 'local schedule pool of 1 client'],
    [{ name: 'Default' }, 'always exists'],
  ])('%j', (use, reason) => expect(whyPoolStays({ ...free, ...use })).toContain(reason));
});

describe('destinations of copies', () => {
  const pool = (id: number, free_space: number, pool_type = 'File system') => ({ id, free_space, pool_type });
  const pools = [pool(1, 10), pool(2, 0), pool(3, 99), pool(4, 50, 'Client defined')];
  it('are all other pools but those that clients define', () => {
    expect(destinationsFor({ id: 1 }, pools, 'copy').map(({ id }) => id)).toEqual([2, 3]);
  });
  it('begin with those that have room when copies are moved', () => {
    expect(destinationsFor({ id: 1 }, pools, 'move').map(({ id }) => id)).toEqual([3, 2]);
  });
});

describe('folders of storages', () => {
  const others = { storages: ['/srv/a'], dataDir: '/var/strongroom' };
  it.each([
    ['/srv//b/', '/srv/b'],
    ['/srv/a/../b', '/srv/b'],
    ['/', '/'],
  ])('%s is written %s', (path, normal) => expect(normalisePath(path)).toBe(normal));
  it.each(['/', '/srv/a', '/srv/a/b', '/srv', '/var/strongroom', '/var'])('%s is refused', (path) => {
    expect(whyPathIsRefused(path, others)).not.toBeNull();
  });
  it.each(['/srv/ab', '/srv/b', '/var/strongroom/pools/second', '/var/strongroom2'])('%s is fine', (path) => {
    expect(whyPathIsRefused(path, others)).toBeNull();
  });
  it('stay while they hold copies or are written to', () => {
    expect(whyStorageStays({ id: 1, path: '/a', copies: 1, runningTasks: 0 })).toContain('1 backup copy');
    expect(whyStorageStays({ id: 1, path: '/a', copies: 0, runningTasks: 1 })).toContain('1 running task');
    expect(whyStorageStays({ id: 1, path: '/a', copies: 0, runningTasks: 0 })).toBeNull();
  });
});

describe('the last superuser', () => {
  const users = [
    { id: 1, enabled: true, roles: ['superuser'] },
    { id: 2, enabled: false, roles: ['superuser'] },
    { id: 3, enabled: true, roles: ['supervisor'] },
  ] as const;
  it('cannot go, be disabled or change the role', () => {
    expect(keepsSuperuser(users, { gone: [1] })).toBe(false);
    expect(keepsSuperuser(users, { changed: { ...users[0], enabled: false } })).toBe(false);
    expect(keepsSuperuser(users, { changed: { ...users[0], roles: ['auditor'] } })).toBe(false);
  });
  it('is not concerned by others, and is the last no more when another one is enabled', () => {
    expect(keepsSuperuser(users, { gone: [2, 3] })).toBe(true);
    expect(keepsSuperuser(users, { gone: [1], changed: { ...users[1], enabled: true } })).toBe(true);
  });
  it('is no auditor', () => {
    expect(whyRolesAreRefused(['superuser', 'auditor'])).not.toBeNull();
    expect(whyRolesAreRefused(['administrator', 'auditor'])).toBeNull();
    expect(whyRolesAreRefused(['auditor', 'auditor'])).not.toBeNull();
  });
});

describe('clients, groups and media servers', () => {
  it('change only what was sent; null goes back to the default', () => {
    expect(planClientChange({}, {})).toEqual({});
    expect(
      planClientChange({ lsf_flag: null, storage_capacity: null, description: null }, { poolId: 4 }),
    ).toEqual({
      ls_pool_id: 4,
      lsf_flag: 0,
      storage_capacity: 0,
      description: null,
    });
  });
  it('stay while they are in use', () => {
    expect(whyClientStays({ id: 1, name: 'a', groupId: 1, activeTasks: 2 })).toContain('2 active tasks');
    expect(whyGroupStays({ id: 1, name: 'No group', clients: 0, users: 0 })).toContain('always exists');
    expect(whyGroupStays({ id: 2, name: 'a', clients: 1, users: 0 })).toContain('1 client');
    expect(whyGroupStays({ id: 2, name: 'a', clients: 0, users: 2 })).toContain('2 users');
    expect(whyGroupStays({ id: 2, name: 'a', clients: 0, users: 0 })).toBeNull();
    expect(whyMediaServerStays({ id: 1, name: 'a', role: 'primary', pools: 0 })).toContain(
      'cannot be removed',
    );
    expect(whyMediaServerStays({ id: 1, name: 'a', role: 'media', pools: 1 })).toContain('1 pool');
    expect(whyMediaServerStays({ id: 1, name: 'a', role: 'media', pools: 0 })).toBeNull();
  });
});

describe('the configuration', () => {
  const server = { version: '1.2.3', dataDir: '/data', keyHash: 'f'.repeat(64) };
  it('is the defaults with the stored values over them, and what the server knows', () => {
    const stored = new Map<string, unknown>([
      ['monitoring_period', 5],
      ['version', 'stored by mistake'],
      ['service_mode', true],
    ]);
    expect(completeConfiguration(stored, server)).toMatchObject({
      monitoring_period: 5,
      wrong_auth_attempts_count: 5,
      version: '1.2.3',
      rb_key_hash: 'f'.repeat(64),
      emergency_storage_local_catalog: '/data/emergency',
      tape_library_mount_point: '/data/mnt',
      dedup_clean_last_time: null,
      service_mode: true,
    });
  });
  it('is changed without its read-only fields', () => {
    const patch = { version: 'x', rb_key_hash: 'y', monitoring_period: 9, immutable_archives: null };
    expect(planChange(patch)).toEqual({ set: [['monitoring_period', 9]], clear: ['immutable_archives'] });
  });
});
