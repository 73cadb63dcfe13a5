import { describe, expect, it } from 'vitest';
import { Configuration, ConfigurationPatch } from '../../contract/configuration/configuration.ts';
import {
  type ConfigurationField,
  configurationFields,
  configurationNames,
  isReadOnly,
} from '../../contract/configuration/configuration-fields.ts';
import { fittingParameters, PoolDraft, PoolPatch, poolTypes } from '../../contract/pools/pool.ts';
import {
  BackupCommonParameters,
  BackupModuleParameters,
  backupCommonParameters,
  backupModuleParameters,
  completeParameters,
  describeParameters,
  RestoreModuleParameters,
} from '../../contract/tasks/module-parameters.ts';
import { Password } from '../../contract/users/user.ts';

describe('the global configuration', () => {
  it('has every field of the specification', () => {
    const count = (type: ConfigurationField['type']) =>
      Object.values<ConfigurationField>(configurationFields).filter((field) => field.type === type).length;
    expect(count('integer')).toBe(27);
    expect(count('boolean')).toBe(9);
    expect(count('timeOfDay')).toBe(2);
    expect(count('path')).toBe(2);
    expect(count('readOnlyTime')).toBe(3);
    expect(count('readOnlyText')).toBe(2);
    expect(count('choice')).toBe(5 + 12);
    expect(configurationNames).toHaveLength(62);
  });

  it.each(configurationNames.filter((name) => configurationFields[name].type === 'integer'))(
    '%s is a whole number within its range',
    (name) => {
      const field: ConfigurationField = configurationFields[name];
      if (field.type !== 'integer') throw new Error('not an integer field');
      const accepts = (value: unknown) => ConfigurationPatch.safeParse({ [name]: value }).success;
      expect([field.min, field.max, field.default, null].map(accepts)).toEqual([true, true, true, true]);
      expect([field.min - 1, field.max + 1, 0.5, '5', true, [], {}].map(accepts)).not.toContain(true);
    },
  );

  it.each([
    ['monitoring_period', 4],
    ['suspended_task_restart_period', 0],
    ['file_transfer_block_size', 4095],
    ['pool_storage_capacity_reserve', 100],
    ['data_spred_into_pool', 'random'],
    ['verify_archive_after_creation', true],
    ['verify_archive_after_creation', 'YES'],
    ['immutable_archives', 'yes'],
    ['service_window_start', '24:00:00'],
    ['emergency_storage_local_catalog', 'relative/path'],
    ['service_mode', true],
    ['unknown_field', 1],
  ])('%s = %j is refused', (name, value) => {
    expect(ConfigurationPatch.safeParse({ [name]: value }).success).toBe(false);
  });

  it('takes read-only fields with any value', () => {
    const sent = Object.fromEntries(configurationNames.filter(isReadOnly).map((name) => [name, [1]]));
    expect(Object.keys(sent)).toHaveLength(5);
    expect(ConfigurationPatch.safeParse(sent).success).toBe(true);
  });

  it('answers the mode of the server beside the fields', () => {
    expect(Object.keys(Configuration.shape).sort()).toEqual([...configurationNames, 'service_mode'].sort());
  });
});

describe('tuning parameters', () => {
  it('have the defaults of the table where nothing is given', () => {
    const parameters = completeParameters(backupCommonParameters, {
      network_parallelism: 2,
      memory_threshold: null,
    });
    expect(parameters).toMatchObject({ worker_parallelism: 8, network_parallelism: 2, memory_threshold: 0 });
  });

  it.each([
    ['snapshot_type', 'zfs'],
    ['snapshot_size', 0],
    ['snapshot_size', 101],
    ['file_list', 'yes'],
    ['script_before_snapshot', 'relative'],
    ['unknown', 1],
  ])('%s = %j is refused', (name, value) => {
    expect(BackupModuleParameters.safeParse({ [name]: value }).success).toBe(false);
  });

  it('refuse a memory limit that is to be kept but not given', () => {
    const wrong = BackupCommonParameters.safeParse({ deny_memory_exceed: true });
    expect(wrong.error?.issues[0]?.path).toEqual(['deny_memory_exceed']);
    expect(BackupCommonParameters.safeParse({ deny_memory_exceed: true, memory_threshold: 1 }).success).toBe(
      true,
    );
  });

  it.each(['a/b', '..', '.', 'a\0', 'x'.repeat(256), 'ü'.repeat(128)])(
    'refuse the new name %j',
    (new_name) => {
      expect(RestoreModuleParameters.safeParse({ new_name }).success).toBe(false);
    },
  );

  it('are described with the values of a rule, and with the defaults otherwise', () => {
    const described = describeParameters(backupModuleParameters, { snapshot_size: 20, file_list: {} });
    expect(described.find(({ name }) => name === 'snapshot_size')).toMatchObject({
      default: 10,
      value: 20,
      min: 1,
      max: 100,
    });
    expect(described.find(({ name }) => name === 'snapshot_type')).toMatchObject({
      type: 'enum',
      values: ['auto', 'lvm', 'dattobd'],
    });
    expect(described.find(({ name }) => name === 'file_list')).toMatchObject({ value: true });
  });
});

describe('bodies of pools', () => {
  it('take anything for a parameter that may not fit the type', () => {
    const body = {
      pool_name: 'a',
      pool_type: 'File system',
      media_server: 'm',
      block_size: 'x',
      algorithm: [],
      more: 1,
    };
    expect(PoolDraft.parse(body)).toMatchObject({ block_size: 'x', algorithm: [] });
    expect(PoolPatch.safeParse({ meta_data_pool: 5, move_old_metadata: 'no' }).success).toBe(true);
  });
  it('know for each type which parameters fit', () => {
    expect(Object.keys(fittingParameters)).toEqual([...poolTypes]);
    expect(fittingParameters['Block device']).not.toContain('compression_type');
  });
});

describe('passwords', () => {
  it.each(['12345678', 'ü'.repeat(512), '💾'.repeat(8)])(
    'accept one of the right length (%#)',
    (password) => {
      expect(Password.safeParse(password).success).toBe(true);
    },
  );
  // Composed, the seven letters with their marks are seven characters, however they were typed.
  it.each(['1234567', 'u\u0308'.repeat(7), 'ü'.repeat(513), '', 12345678])(
    'refuse one of a wrong length (%#)',
    (password) => {
      expect(Password.safeParse(password).success).toBe(false);
    },
  );
});
