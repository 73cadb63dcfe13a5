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
import {
  mediaServerChoices,
  mediaSetExtension,
  mediaSetNames,
  type Offer,
  poolChoices,
  withOwn,
} from '../../shell/choices.ts';
import { inSection } from '../../shell/form-section.ts';
import { type FormValues, flagOf, textOf, textOrNull } from '../../shell/form-values.ts';
import type { FormField } from '../../shell/open-dialog.ts';
import { hasExtension } from '../../shell/rights.ts';
import { saveChange } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { type Choice, formatBytes, type ListStore, showHidden } from '../../ui/index.ts';

const words = textsOf('pools');
const common = textsOf('common');

const named = (values: readonly string[], by: object): readonly Choice[] =>
  values.map((value) => ({ value, label: wordFor(by, value) }));

/** A parameter of a type that this program does not know is offered: the server ignores what does not fit. */
function fits(parameter: PoolTypeParameter, poolType: string): boolean {
  const known = poolTypes.find((type) => type === poolType);
  return known === undefined || fittingParameters[known].includes(parameter);
}

const forType =
  (parameter: PoolTypeParameter) =>
  (values: FormValues): boolean =>
    fits(parameter, textOf(values, 'pool_type'));

const nameField = { name: 'pool_name', label: common.name, type: 'text' } as const;
const descriptionField = { name: 'description', label: common.description, type: 'text' } as const;

/** Of a tape pool; a server that has no media sets is not asked for one. */
const mediaSetFields = (connectionId: string, names: readonly string[]): readonly FormField[] =>
  hasExtension(connectionId, mediaSetExtension)
    ? [
        {
          name: 'media_set_name',
          label: words.form.mediaSet,
          type: 'text',
          list: names,
          help: words.form.mediaSetHelp,
          when: forType('media_set_name'),
        },
        {
          name: 'takes_scratch',
          label: words.form.takesScratch,
          type: 'checkbox',
          help: words.form.takesScratchHelp,
          when: (values) => forType('takes_scratch')(values) && textOf(values, 'media_set_name') !== '',
        },
      ]
    : [];

function mediaSetOf(connectionId: string, values: FormValues, poolType: string) {
  if (!hasExtension(connectionId, mediaSetExtension) || !fits('media_set_name', poolType)) return {};
  return {
    media_set_name: textOrNull(values, 'media_set_name'),
    takes_scratch: flagOf(values, 'takes_scratch'),
  };
}

/** Fields that stay changeable; which of them are shown depends on the type. `once`: only of a new one; `moves`: only of one that is there. */
const changeable = (
  metaPools: Offer,
  {
    once = [],
    moves = [],
    sets,
  }: {
    readonly once?: readonly FormField[];
    readonly moves?: readonly FormField[];
    readonly sets: readonly FormField[];
  },
): readonly FormField[] => [
  ...inSection(words.form.sections.format, [...once, ...formatFields(metaPools), ...sets, ...moves]),
  ...inSection(words.form.sections.keeping, keepingFields),
];

const formatFields = (metaPools: Offer): readonly FormField[] => [
  {
    name: 'compression_type',
    label: words.columns.compression,
    type: 'select',
    choices: named(compressionTypes, words.compressions),
    when: forType('compression_type'),
  },
  {
    name: 'meta_data_pool',
    label: words.form.metadataPool,
    type: 'select',
    ...metaPools,
    help: words.form.metadataPoolHelp,
    when: forType('meta_data_pool'),
  },
];

const keepingFields: readonly FormField[] = [
  {
    name: 'retention_period',
    label: words.columns.retention,
    type: 'text',
    help: words.form.retentionHelp,
  },
  {
    name: 'ignore_free_space_check',
    label: words.form.ignoreSpace,
    type: 'checkbox',
  },
];

const moveField: FormField = {
  name: 'move_old_metadata',
  label: words.form.moveMetadata,
  type: 'checkbox',
  help: words.form.moveMetadataHelp,
  when: forType('move_old_metadata'),
};

/** Fields of how blocks are cut and named: set once, when the pool is made. */
const blockFields: readonly FormField[] = [
  {
    name: 'block_size',
    label: words.form.blockSize,
    type: 'select',
    choices: blockSizes.map((size) => ({ value: String(size), label: formatBytes(size) })),
    help: words.form.blockSizeHelp,
    when: forType('block_size'),
  },
  {
    name: 'algorithm',
    label: words.form.hash,
    type: 'select',
    choices: hashAlgorithms.flatMap((algorithm) =>
      hashLengthsOf[algorithm].map((bits) => ({
        value: `${algorithm} ${bits}`,
        label: t('pools.form.hashBits', { algorithm, bits }),
      })),
    ),
    when: forType('algorithm'),
  },
];

function bodyOf(values: FormValues, poolType: string) {
  return {
    pool_name: textOf(values, 'pool_name'),
    ...(fits('compression_type', poolType) ? { compression_type: textOf(values, 'compression_type') } : {}),
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

/** A pool named again without the wish to move would take back an earlier wish: what was not changed is not sent. */
function metadataOf(values: FormValues, pool: Pool) {
  if (!fits('meta_data_pool', pool.pool_type)) return {};
  const name = textOrNull(values, 'meta_data_pool');
  return {
    ...(name === pool.meta_data_pool ? {} : { meta_data_pool: name }),
    ...(flagOf(values, 'move_old_metadata') ? { move_old_metadata: true } : {}),
  };
}

const filePools = (connectionId: string) => poolChoices(connectionId, 'File system');

export async function openNewPool(connectionId: string, list: ListStore<Pool>): Promise<void> {
  const [servers, metaPools, names] = await Promise.all([
    mediaServerChoices(connectionId),
    filePools(connectionId),
    mediaSetNames(connectionId),
  ]);
  openDialog({
    kind: 'form',
    form: {
      title: words.form.newTitle,
      submitLabel: words.form.create,
      summary: words.form.newSummary,
      fields: [
        nameField,
        descriptionField,
        { name: 'pool_type', label: common.type, type: 'select', choices: named(poolTypes, words.types) },
        { name: 'media_server', label: words.columns.mediaServer, type: 'select', ...servers },
        ...changeable(metaPools, { once: blockFields, sets: mediaSetFields(connectionId, names) }),
      ],
      initial: {
        pool_name: '',
        pool_type: 'File system',
        media_server: servers.choices[0]?.value ?? '',
        compression_type: 'Optimal',
        meta_data_pool: metaPools.choices[0]?.value ?? '',
        block_size: String(defaultBlockSize),
        algorithm: 'sha2 256',
        media_set_name: '',
        takes_scratch: false,
        retention_period: '',
        ignore_free_space_check: false,
        description: '',
      },
      submit: async (values) => {
        const poolType = textOf(values, 'pool_type');
        const body = {
          ...bodyOf(values, poolType),
          ...blocksOf(values, poolType),
          ...mediaSetOf(connectionId, values, poolType),
          ...(fits('meta_data_pool', poolType)
            ? { meta_data_pool: textOrNull(values, 'meta_data_pool') }
            : {}),
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
  const [metaPools, names] = await Promise.all([filePools(connectionId), mediaSetNames(connectionId)]);
  const fields = [
    nameField,
    descriptionField,
    ...changeable(withOwn(metaPools, pool.meta_data_pool), {
      moves: [moveField],
      sets: mediaSetFields(connectionId, names),
    }),
  ];
  openDialog({
    kind: 'form',
    form: {
      title: t('pools.form.editTitle', { name: showHidden(pool.pool_name) }),
      submitLabel: common.save,
      fields,
      initial: {
        pool_name: pool.pool_name,
        pool_type: pool.pool_type,
        compression_type: pool.compression_type ?? 'None',
        meta_data_pool: pool.meta_data_pool ?? '',
        move_old_metadata: false,
        media_set_name: pool.media_set_name ?? '',
        takes_scratch: pool.takes_scratch ?? false,
        retention_period: pool.retention_period ?? '',
        ignore_free_space_check: pool.ignore_free_space_check,
        description: pool.description ?? '',
      },
      submit: async (values) => {
        const params = { id: pool.id };
        const body = {
          ...bodyOf(values, pool.pool_type),
          ...metadataOf(values, pool),
          ...mediaSetOf(connectionId, values, pool.pool_type),
        };
        await saveChange({
          what: t('pools.named', { name: pool.pool_name }),
          fields,
          body,
          update: (asked) => call(connectionId, 'pools.update', { params, body: asked }),
          get: () => call(connectionId, 'pools.get', { params }),
          refresh: list.refresh,
        });
      },
    },
  });
}
