import { type Role, roles } from '../../../contract/permissions.ts';
import { defaultProofSize, type Strategy } from '../../../contract/strategies/strategy.ts';
import { call } from '../../bridge.ts';
import { cryptoChoices, poolChoices } from '../../shell/choices.ts';
import { inSection } from '../../shell/form-section.ts';
import { type FormValues, flagOf, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import type { FormField, FormRequest } from '../../shell/open-dialog.ts';
import { hasExtension } from '../../shell/rights.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { type ListStore, selectOne } from '../../ui/index.ts';
import { LiveRuns } from './live-runs.tsx';
import { SavedRuns } from './saved-runs.tsx';
import { shownValidity, validityOf } from './validity.ts';

const { create, columns, details, form: words, preview } = textsOf('strategies');

const scheduleFields = [
  { name: 'full_schedule', label: details.fullCopies, type: 'text', help: words.cronHelp },
  { name: 'differential_schedule', label: details.differentialCopies, type: 'text' },
  { name: 'incremental_schedule', label: details.incrementalCopies, type: 'text' },
  {
    name: 'time_zone',
    label: columns.timeZone,
    type: 'text',
    help: words.timeZoneHelp,
  },
] as const;

const copyFields = [
  {
    name: 'storage_duration',
    label: words.keepFor,
    type: 'text',
    help: words.keepForHelp,
  },
  { name: 'priority', label: details.priority, type: 'number', help: words.priorityHelp },
  { name: 'capacity', label: words.capacity, type: 'number', help: words.capacityHelp },
] as const;

const checkFields = [
  {
    name: 'verify_period',
    label: words.verifyAfter,
    type: 'number',
    help: words.verifyAfterHelp,
  },
  {
    name: 'restore_proof_files',
    label: words.proofFiles,
    type: 'number',
    help: words.proofFilesHelp,
  },
  {
    name: 'restore_proof_size',
    label: words.proofSize,
    type: 'number',
    help: words.proofSizeHelp,
    when: (values: FormValues) => textOf(values, 'restore_proof_files') !== '',
  },
] as const;

const validityFields = [
  {
    name: 'notification_user_groups',
    label: words.told,
    type: 'checks',
    help: words.toldHelp,
    choices: roles.map((value) => ({ value, label: wordFor(textsOf('users').roles, value) })),
  },
  { name: 'valid_from', label: details.validFrom, type: 'text', help: words.validHelp },
  { name: 'valid_until', label: details.validUntil, type: 'text', help: words.validHelp },
  { name: 'enabled', label: words.enabled, type: 'checkbox' },
] as const;

/** Nothing is sent of an option that is not used: not every server knows it. */
function proofOf(values: FormValues, strategy: Strategy | null) {
  const files = numberOrNull(values, 'restore_proof_files');
  if (files === null && (strategy?.restore_proof_files ?? null) === null) return {};
  return { restore_proof_files: files, restore_proof_size: numberOrNull(values, 'restore_proof_size') };
}

/** Nor of roles that are told. */
function toldOf(values: FormValues, strategy: Strategy | null) {
  const told = roles.filter((role) => textOf(values, 'notification_user_groups').split(',').includes(role));
  if (told.length === 0 && !strategy?.notification_user_groups?.length) return {};
  return { notification_user_groups: told satisfies readonly Role[] };
}

function bodyOf(values: FormValues, strategy: Strategy | null) {
  const zone = textOrNull(values, 'time_zone');
  return {
    name: textOf(values, 'name'),
    pool: textOf(values, 'pool'),
    crypto: textOf(values, 'crypto'),
    full_schedule: textOrNull(values, 'full_schedule'),
    differential_schedule: textOrNull(values, 'differential_schedule'),
    incremental_schedule: textOrNull(values, 'incremental_schedule'),
    time_zone: zone,
    storage_duration: textOrNull(values, 'storage_duration'),
    priority: numberOrNull(values, 'priority') ?? 100,
    capacity: numberOrNull(values, 'capacity') ?? 0,
    verify_period: numberOrNull(values, 'verify_period'),
    valid_from: validityOf(values, 'valid_from', strategy),
    valid_until: validityOf(values, 'valid_until', strategy),
    ...proofOf(values, strategy),
    ...toldOf(values, strategy),
    enabled: flagOf(values, 'enabled'),
  };
}

/** A server that cannot plan what is not saved shows the runs of what is. */
function asideOf(connectionId: string, strategy: Strategy | null): Pick<FormRequest, 'aside' | 'summary'> {
  if (hasExtension(connectionId, 'schedule_preview')) {
    return {
      aside: (values, onErrors) => (
        <LiveRuns connectionId={connectionId} strategy={strategy} values={values} onErrors={onErrors} />
      ),
    };
  }
  if (strategy === null) return { summary: preview.ofNew };
  return { aside: (values) => <SavedRuns strategy={strategy} values={values} /> };
}

export async function openStrategyForm(
  connectionId: string,
  list: ListStore<Strategy>,
  strategy: Strategy | null,
  /** A new one is there, and chosen in the list. */
  onMade: () => void = () => undefined,
): Promise<void> {
  const [pools, cryptos] = await Promise.all([poolChoices(connectionId), cryptoChoices(connectionId)]);
  const fields = [
    { name: 'name', label: t('common.name'), type: 'text' },
    { name: 'pool', label: t('common.pool'), type: 'select', ...pools },
    ...inSection(words.sections.schedules, scheduleFields),
    ...inSection<FormField>(words.sections.copies, [
      { name: 'crypto', label: details.encryption, type: 'select', choices: cryptos },
      ...copyFields,
    ]),
    ...inSection<FormField>(words.sections.checks, checkFields),
    ...inSection<FormField>(words.sections.validity, validityFields),
  ] as const;
  openDialog({
    kind: 'form',
    form: {
      title: strategy === null ? create : t('strategies.form.editTitle', { name: strategy.name }),
      submitLabel: strategy === null ? words.create : t('common.save'),
      fields,
      ...asideOf(connectionId, strategy),
      initial: {
        name: strategy?.name ?? '',
        pool: strategy?.pool ?? pools.choices[0]?.value ?? '',
        crypto: strategy?.crypto ?? 'nocrypt',
        full_schedule: strategy?.full_schedule ?? '0 0 * * 0',
        differential_schedule: strategy?.differential_schedule ?? '',
        incremental_schedule: strategy?.incremental_schedule ?? '',
        time_zone: strategy?.time_zone ?? '',
        storage_duration: strategy?.storage_duration ?? '',
        priority: String(strategy?.priority ?? 100),
        capacity: String(strategy?.capacity ?? 0),
        verify_period: String(strategy?.verify_period ?? ''),
        restore_proof_files: String(strategy?.restore_proof_files ?? ''),
        restore_proof_size: String(strategy?.restore_proof_size ?? defaultProofSize),
        notification_user_groups: (strategy?.notification_user_groups ?? []).join(','),
        valid_from: shownValidity(strategy, 'valid_from'),
        valid_until: shownValidity(strategy, 'valid_until'),
        enabled: strategy?.enabled ?? true,
      },
      submit: async (values) => {
        const body = bodyOf(values, strategy);
        if (strategy === null) {
          const { id } = await call(connectionId, 'strategies.create', { body });
          // Its details show what the schedules lead to.
          list.setSelection(selectOne(id));
          await list.refresh();
          onMade();
          return;
        }
        const params = { id: strategy.id };
        await call(connectionId, 'strategies.update', { params, body });
        const now = await call(connectionId, 'strategies.get', { params, query: {} });
        await list.refresh();
        // What is left empty means the server's own value, which the record names.
        const { time_zone: zone, restore_proof_size: size = null, ...asked } = body;
        tellNotTaken(
          t('strategies.form.saved', { name: strategy.name }),
          fields,
          {
            ...asked,
            ...(zone === null ? {} : { time_zone: zone }),
            ...(size === null ? {} : { restore_proof_size: size }),
          },
          now,
        );
      },
    },
  });
}
