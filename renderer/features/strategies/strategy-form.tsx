import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { call } from '../../bridge.ts';
import { cryptoChoices, poolChoices } from '../../shell/choices.ts';
import { type FormValues, flagOf, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { type ListStore, selectOne } from '../../ui/index.ts';
import { SavedRuns } from './saved-runs.tsx';
import { words } from './strategy-words.ts';

const cronHelp = 'Minute, hour, day of month, month, day of week; like 30 2 * * 1-5. Empty for none.';

const scheduleFields = [
  { name: 'full_schedule', label: 'Full copies', type: 'text', help: cronHelp },
  { name: 'differential_schedule', label: 'Differential copies', type: 'text' },
  { name: 'incremental_schedule', label: 'Incremental copies', type: 'text' },
  {
    name: 'time_zone',
    label: 'Time zone',
    type: 'text',
    help: 'A name like Europe/Paris; empty for that of the server.',
  },
] as const;

const otherFields = [
  {
    name: 'storage_duration',
    label: 'Keep for',
    type: 'text',
    help: 'A number and day, week, month or year. Empty: as the pool says.',
  },
  { name: 'priority', label: 'Priority', type: 'number', help: '100 to 1000; larger runs earlier.' },
  { name: 'capacity', label: 'Capacity (GB)', type: 'number', help: 'For all its copies; 0 for no limit.' },
  {
    name: 'verify_period',
    label: 'Verify again after (days)',
    type: 'number',
    help: 'Empty: copies are not verified by themselves.',
  },
  { name: 'enabled', label: 'Copies are made by it', type: 'checkbox' },
] as const;

function bodyOf(values: FormValues) {
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
    enabled: flagOf(values, 'enabled'),
  };
}

export async function openStrategyForm(
  connectionId: string,
  list: ListStore<Strategy>,
  strategy: Strategy | null,
): Promise<void> {
  const [pools, cryptos] = await Promise.all([poolChoices(connectionId), cryptoChoices(connectionId)]);
  const fields = [
    { name: 'name', label: 'Name', type: 'text' },
    { name: 'pool', label: 'Pool', type: 'select', choices: pools },
    ...scheduleFields,
    { name: 'crypto', label: 'Encryption', type: 'select', choices: cryptos },
    ...otherFields,
  ] as const;
  openDialog({
    kind: 'form',
    form: {
      title: strategy === null ? 'New strategy' : `Edit strategy ${strategy.name}`,
      submitLabel: strategy === null ? 'Create strategy' : 'Save',
      fields,
      ...(strategy === null
        ? { summary: words.newStrategy }
        : { aside: (values: FormValues) => <SavedRuns strategy={strategy} values={values} /> }),
      initial: {
        name: strategy?.name ?? '',
        pool: strategy?.pool ?? pools[0]?.value ?? '',
        crypto: strategy?.crypto ?? 'nocrypt',
        full_schedule: strategy?.full_schedule ?? '0 0 * * 0',
        differential_schedule: strategy?.differential_schedule ?? '',
        incremental_schedule: strategy?.incremental_schedule ?? '',
        time_zone: strategy?.time_zone ?? '',
        storage_duration: strategy?.storage_duration ?? '',
        priority: String(strategy?.priority ?? 100),
        capacity: String(strategy?.capacity ?? 0),
        verify_period: String(strategy?.verify_period ?? ''),
        enabled: strategy?.enabled ?? true,
      },
      submit: async (values) => {
        const body = bodyOf(values);
        if (strategy === null) {
          const { id } = await call(connectionId, 'strategies.create', { body });
          // Its details show what the schedules lead to.
          list.setSelection(selectOne(id));
          await list.refresh();
          return;
        }
        const params = { id: strategy.id };
        await call(connectionId, 'strategies.update', { params, body });
        const now = await call(connectionId, 'strategies.get', { params, query: {} });
        await list.refresh();
        // An empty zone means the server's own, which the record names.
        const { time_zone: zone, ...asked } = body;
        tellNotTaken(
          `Strategy ${strategy.name}`,
          fields,
          zone === null ? asked : { ...asked, time_zone: zone },
          now,
        );
      },
    },
  });
}
