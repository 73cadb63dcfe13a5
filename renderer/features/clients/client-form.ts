import type { Client } from '../../../contract/clients/client.ts';
import { call } from '../../bridge.ts';
import { clientGroupChoices, type Offer, orNone, poolChoices, withOwn } from '../../shell/choices.ts';
import { type FormValues, flagOf, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import type { FormField } from '../../shell/open-dialog.ts';
import { saveChange } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { t, textsOf } from '../../texts/index.ts';
import { showHidden } from '../../ui/index.ts';

const words = textsOf('clients');
const common = textsOf('common');

/** Where the server lists no groups, a group is known by its name. */
function groupField(groups: Offer | null): FormField {
  const field = { name: 'group_id', label: words.facts.group };
  return groups === null
    ? { ...field, type: 'text', help: words.form.groupHelp }
    : { ...field, type: 'select', ...groups };
}

const fieldsOf = (groups: Offer | null, pools: Offer): readonly FormField[] => [
  groupField(groups),
  { name: 'storage_capacity', label: words.form.limit, type: 'number', help: words.form.limitHelp },
  { name: 'client_side_backup', label: words.form.mayBackUp, type: 'checkbox' },
  { name: 'client_side_restore', label: words.form.mayRestore, type: 'checkbox' },
  { name: 'lrl_flag', label: words.form.restrictions, type: 'checkbox' },
  { name: 'lsf_flag', label: words.form.ownSchedule, type: 'checkbox' },
  {
    name: 'ls_pool',
    label: words.form.ownSchedulePool,
    type: 'select',
    ...orNone(pools, common.none),
    // A pool that is set and not used can be taken away too.
    when: (values) => flagOf(values, 'lsf_flag') || textOf(values, 'ls_pool') !== '',
  },
  { name: 'description', label: common.description, type: 'text' },
];

function bodyOf(values: FormValues) {
  return {
    group_id: textOf(values, 'group_id'),
    storage_capacity: numberOrNull(values, 'storage_capacity'),
    client_side_backup: flagOf(values, 'client_side_backup'),
    client_side_restore: flagOf(values, 'client_side_restore'),
    lrl_flag: flagOf(values, 'lrl_flag'),
    lsf_flag: flagOf(values, 'lsf_flag'),
    ls_pool: textOrNull(values, 'ls_pool'),
    description: textOrNull(values, 'description'),
  };
}

export async function openEditClient(
  connectionId: string,
  client: Client,
  onDone: () => Promise<void>,
): Promise<void> {
  const [groups, pools] = await Promise.all([clientGroupChoices(connectionId), poolChoices(connectionId)]);
  const fields = fieldsOf(
    groups === null ? null : withOwn(groups, client.group_id),
    withOwn(pools, client.ls_pool),
  );
  openDialog({
    kind: 'form',
    form: {
      title: t('clients.form.title', { name: showHidden(client.hostname) }),
      submitLabel: common.save,
      fields,
      initial: {
        group_id: client.group_id,
        storage_capacity: String(client.storage_capacity),
        client_side_backup: client.client_side_backup,
        client_side_restore: client.client_side_restore,
        lrl_flag: client.lrl_flag,
        lsf_flag: client.lsf_flag,
        ls_pool: client.ls_pool ?? '',
        description: client.description ?? '',
      },
      submit: async (values) => {
        const body = bodyOf(values);
        const params = { id: client.id };
        await saveChange({
          what: t('clients.named', { name: client.hostname }),
          fields,
          body,
          update: (asked) => call(connectionId, 'clients.update', { params, body: asked }),
          get: () => call(connectionId, 'clients.get', { params }),
          refresh: onDone,
        });
      },
    },
  });
}

export function openRemoveClient(connectionId: string, client: Client, onDone: () => Promise<void>): void {
  openDialog({
    kind: 'remove',
    title: words.removal.title,
    removal: {
      items: [client.client_name],
      consequences: async () => [words.removal.rules, words.removal.copies],
      remove: async () => {
        await call(connectionId, 'clients.deleteMany', { body: { ids: [client.id] } });
        await onDone();
        return [];
      },
    },
  });
}
