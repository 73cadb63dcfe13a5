import {
  blockSizes,
  compressionTypes,
  defaultBlockSize,
  fittingParameters,
  hashAlgorithms,
  hashLengthsOf,
  type Pool,
  type PoolTypeParameter,
  poolTypes,
} from '../../../contract/pools/pool.ts';
import { call } from '../../bridge.ts';
import { mediaServerChoices, poolChoices } from '../../shell/choices.ts';
import { type FormValues, flagOf, textOf, textOrNull } from '../../shell/form-values.ts';
import type { FormField } from '../../shell/open-dialog.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { type Choice, formatBytes, type ListStore, showHidden } from '../../ui/index.ts';

const named = (values: readonly string[]): readonly Choice[] =>
  values.map((value) => ({ value, label: value }));

/** A parameter of a type that this program does not know is offered: the server ignores what does not fit. */
function fits(parameter: PoolTypeParameter, poolType: string): boolean {
  const known = poolTypes.find((type) => type === poolType);
  return known === undefined || fittingParameters[known].includes(parameter);
}

const forType =
  (parameter: PoolTypeParameter) =>
  (values: FormValues): boolean =>
    fits(parameter, textOf(values, 'pool_type'));

const nameField = { name: 'pool_name', label: 'Name', type: 'text' } as const;

/** Fields that stay changeable; which of them are shown depends on the type. */
const changeable = (metaPools: readonly Choice[]): readonly FormField[] => [
  {
    name: 'compression_type',
    label: 'Compression',
    type: 'select',
    choices: named(compressionTypes),
    when: forType('compression_type'),
  },
  {
    name: 'meta_data_pool',
    label: 'Pool for the metadata',
    type: 'select',
    choices: metaPools,
    help: 'A pool of type File system on the same media server; it keeps what the blocks belong to.',
    when: forType('meta_data_pool'),
  },
  {
    name: 'retention_period',
    label: 'Retention',
    type: 'text',
    help: 'How long copies are kept unless told otherwise: a number and day, week, month or year. Empty for no default.',
  },
  {
    name: 'ignore_free_space_check',
    label: 'Start backups even when space may not suffice',
    type: 'checkbox',
  },
  { name: 'description', label: 'Description', type: 'text' },
];

/** Fields of how blocks are cut and named: set once, when the pool is made. */
const blockFields: readonly FormField[] = [
  {
    name: 'block_size',
    label: 'Block size',
    type: 'select',
    choices: blockSizes.map((size) => ({ value: String(size), label: formatBytes(size) })),
    help: 'Larger blocks are faster, smaller ones find more that is equal.',
    when: forType('block_size'),
  },
  {
    name: 'algorithm',
    label: 'Hash function',
    type: 'select',
    choices: hashAlgorithms.flatMap((algorithm) =>
      hashLengthsOf[algorithm].map((bits) => ({
        value: `${algorithm} ${bits}`,
        label: `${algorithm}, ${bits} bits`,
      })),
    ),
    when: forType('algorithm'),
  },
];

function bodyOf(values: FormValues, poolType: string) {
  return {
    pool_name: textOf(values, 'pool_name'),
    ...(fits('compression_type', poolType) ? { compression_type: textOf(values, 'compression_type') } : {}),
    ...(fits('meta_data_pool', poolType) ? { meta_data_pool: textOrNull(values, 'meta_data_pool') } : {}),
    retention_period: textOrNull(values, 'retention_period'),
    ignore_free_space_check: flagOf(values, 'ignore_free_space_check'),
    description: textOrNull(values, 'description'),
  };
}

function blocksOf(values: FormValues, poolType: string) {
  if (!fits('algorithm', poolType)) return {};
  const [algorithm = '', bits = ''] = textOf(values, 'algorithm').split(' ');
  return { algorithm, hash_length: Number(bits), block_size: Number(textOf(values, 'block_size')) };
}

const filePools = (connectionId: string) => poolChoices(connectionId, (type) => type === 'File system');

export async function openNewPool(connectionId: string, list: ListStore<Pool>): Promise<void> {
  const [servers, metaPools] = await Promise.all([mediaServerChoices(connectionId), filePools(connectionId)]);
  openDialog({
    kind: 'form',
    form: {
      title: 'New pool',
      submitLabel: 'Create pool',
      summary: 'After this the pool needs a storage before copies can go to it.',
      fields: [
        nameField,
        { name: 'pool_type', label: 'Type', type: 'select', choices: named(poolTypes) },
        { name: 'media_server', label: 'Media server', type: 'select', choices: servers },
        ...blockFields,
        ...changeable(metaPools),
      ],
      initial: {
        pool_name: '',
        pool_type: 'File system',
        media_server: servers[0]?.value ?? '',
        compression_type: 'Optimal',
        meta_data_pool: metaPools[0]?.value ?? '',
        block_size: String(defaultBlockSize),
        algorithm: 'sha2 256',
        retention_period: '',
        ignore_free_space_check: false,
        description: '',
      },
      submit: async (values) => {
        const poolType = textOf(values, 'pool_type');
        const body = {
          ...bodyOf(values, poolType),
          ...blocksOf(values, poolType),
          pool_type: poolType,
          media_server: textOf(values, 'media_server'),
        };
        await call(connectionId, 'pools.create', { body });
        await list.refresh();
      },
    },
  });
}

export async function openEditPool(connectionId: string, pool: Pool, list: ListStore<Pool>): Promise<void> {
  const fields = [nameField, ...changeable(await filePools(connectionId))];
  openDialog({
    kind: 'form',
    form: {
      title: `Edit pool ${showHidden(pool.pool_name)}`,
      submitLabel: 'Save',
      fields,
      initial: {
        pool_name: pool.pool_name,
        pool_type: pool.pool_type,
        compression_type: pool.compression_type ?? 'None',
        meta_data_pool: pool.meta_data_pool ?? '',
        retention_period: pool.retention_period ?? '',
        ignore_free_space_check: pool.ignore_free_space_check,
        description: pool.description ?? '',
      },
      submit: async (values) => {
        const params = { id: pool.id };
        const body = bodyOf(values, pool.pool_type);
        await call(connectionId, 'pools.update', { params, body });
        const now = await call(connectionId, 'pools.get', { params });
        await list.refresh();
        tellNotTaken(`Pool ${pool.pool_name}`, fields, body, now);
      },
    },
  });
}
