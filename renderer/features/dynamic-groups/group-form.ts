import type { DynamicPoolGroup } from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import { call } from '../../bridge.ts';
import { type FormValues, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { type ListStore, showHidden } from '../../ui/index.ts';

const noLimit = '0 for no limit.';

const fields = [
  { name: 'name', label: 'Name', type: 'text' },
  { name: 'max_pool_tasks', label: 'Tasks at a time on one pool', type: 'number', help: noLimit },
  {
    name: 'max_media_server_tasks',
    label: 'Tasks at a time on one media server',
    type: 'number',
    help: noLimit,
  },
  { name: 'max_cpu_usage', label: 'Processors in use (%)', type: 'number', help: noLimit },
  {
    name: 'max_in_block_operations',
    label: 'Read operations of the device a second',
    type: 'number',
    help: noLimit,
  },
  {
    name: 'max_out_block_operations',
    label: 'Write operations of the device a second',
    type: 'number',
    help: noLimit,
  },
  {
    name: 'calculation_period',
    label: 'Averaged over (seconds)',
    type: 'number',
    help: '1 to 3600. Use of processors and devices is measured over this time.',
  },
  { name: 'description', label: 'Description', type: 'text' },
] as const;

const numbers = fields.flatMap((field) => (field.type === 'number' ? [field.name] : []));

function bodyOf(values: FormValues) {
  return {
    name: textOf(values, 'name'),
    ...Object.fromEntries(numbers.map((name) => [name, numberOrNull(values, name)])),
    description: textOrNull(values, 'description'),
  };
}

export function openGroupForm(
  connectionId: string,
  list: ListStore<DynamicPoolGroup>,
  group: DynamicPoolGroup | null,
): void {
  const defaults: Readonly<Record<string, number>> = { calculation_period: 60 };
  openDialog({
    kind: 'form',
    form: {
      title: group === null ? 'New group' : `Edit group ${showHidden(group.name)}`,
      submitLabel: group === null ? 'Create group' : 'Save',
      ...(group === null ? { summary: 'Pools are added to it afterwards, in its details.' } : {}),
      fields,
      initial: {
        name: group?.name ?? '',
        ...Object.fromEntries(numbers.map((name) => [name, String(group?.[name] ?? defaults[name] ?? 0)])),
        description: group?.description ?? '',
      },
      submit: async (values) => {
        const body = bodyOf(values);
        if (group === null) {
          await call(connectionId, 'dynamicPoolGroups.create', { body });
          await list.refresh();
          return;
        }
        const params = { id: group.id };
        await call(connectionId, 'dynamicPoolGroups.update', { params, body });
        const now = await call(connectionId, 'dynamicPoolGroups.get', { params });
        await list.refresh();
        tellNotTaken(`Group ${group.name}`, fields, body, now);
      },
    },
  });
}
