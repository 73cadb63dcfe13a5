import type { DynamicPoolGroup } from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import { call } from '../../bridge.ts';
import { inSection } from '../../shell/form-section.ts';
import { type FormValues, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { saveChange } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { t, textsOf } from '../../texts/index.ts';
import { type ListStore, showHidden } from '../../ui/index.ts';

const { create, form: words } = textsOf('dynamicGroups');
const noLimit = words.noLimitHelp;

const fields = [
  { name: 'name', label: t('common.name'), type: 'text' },
  { name: 'description', label: t('common.description'), type: 'text' },
  ...inSection(words.limits, [
    { name: 'max_pool_tasks', label: words.poolTasks, type: 'number', help: noLimit },
    {
      name: 'max_media_server_tasks',
      label: words.serverTasks,
      type: 'number',
      help: noLimit,
    },
    { name: 'max_cpu_usage', label: words.processors, type: 'number', help: noLimit },
    {
      name: 'max_in_block_operations',
      label: words.reads,
      type: 'number',
      help: noLimit,
    },
    {
      name: 'max_out_block_operations',
      label: words.writes,
      type: 'number',
      help: noLimit,
    },
    {
      name: 'calculation_period',
      label: words.period,
      type: 'number',
      help: words.periodHelp,
    },
  ]),
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
      title: group === null ? create : t('dynamicGroups.form.editTitle', { name: showHidden(group.name) }),
      submitLabel: group === null ? words.create : t('common.save'),
      ...(group === null ? { summary: words.poolsLater } : {}),
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
        await saveChange({
          what: t('dynamicGroups.form.saved', { name: group.name }),
          fields,
          body,
          update: (asked) => call(connectionId, 'dynamicPoolGroups.update', { params, body: asked }),
          get: () => call(connectionId, 'dynamicPoolGroups.get', { params }),
          refresh: list.refresh,
        });
      },
    },
  });
}
