import type { Client } from '../../contract/clients/client.ts';
import { t } from '../texts/index.ts';
import { NewButton } from './new-button.tsx';
import { openDialog } from './shell-store.ts';

/** Opens the dialog of an urgent backup. */
export function NewBackupButton(props: {
  readonly connectionId: string;
  /** The one to begin with. */
  readonly client?: Client | undefined;
}) {
  const { connectionId, client } = props;
  return (
    <NewButton
      connectionId={connectionId}
      permission="task_queue.write"
      label={t('tasks.newBackup')}
      open={async () =>
        openDialog({ kind: 'newBackup', connectionId, ...(client === undefined ? {} : { client }) })
      }
    />
  );
}
