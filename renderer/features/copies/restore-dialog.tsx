import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Client } from '../../../contract/clients/client.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { call, command, problemOf } from '../../bridge.ts';
import { copyName } from '../../shell/copy-words.ts';
import { TapeWants } from '../../shell/pick-list/tape-wants.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { showNotice } from '../../shell/shell-store.ts';
import { tellTask } from '../../shell/tell.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { Button, Checkbox, counted, Dialog, SelectField, showHidden, TextField } from '../../ui/index.ts';
import { FilesView, useFiles } from './file-tree.tsx';
import { type RestoreWords, restoreWords } from './restore-words.ts';

const most = 500;

/** What, where and how, in one dialog: everything can be changed until the button is pressed. */
export function RestoreDialog(props: {
  readonly connectionId: string;
  readonly copy: Copy;
  readonly onClose: () => void;
}) {
  const { connectionId, copy, onClose } = props;
  const files = useFiles(connectionId, copy.id);
  const selected = useStore(files.store, (state) => state.selected);
  const [clients, setClients] = useState<readonly Client[]>([]);
  const [client, setClient] = useState(copy.client);
  const [destination, setDestination] = useState('');
  const [newName, setNewName] = useState('');
  const [isAsked, setAsked] = useState(false);
  const words = restoreWords(copy.resource_type, isAsked);
  const isDeployed = words.deployment === null || isAsked;

  useEffect(() => {
    const stop = new AbortController();
    call(connectionId, 'clients.list', { query: { page: 1, limit: most } }, stop.signal).then(
      (answer) => !stop.signal.aborted && setClients(answer.items),
      // The client of the copy stays as the one choice; the server decides.
      () => setClients([]),
    );
    return () => stop.abort();
  }, [connectionId]);

  const { isBusy, problem, errors, submit } = useSubmit(
    async () => {
      const answer = await call(connectionId, 'repository.restore', {
        params: { id: copy.id },
        body: {
          restore_task: {
            target_client: client,
            destination_path: destination.trim(),
            data_deployment: isDeployed,
            granular_restore_files: words.hasFiles ? [...selected] : [],
          },
          ...(newName.trim() === '' || !words.hasNewName
            ? {}
            : { module_extensions: { parameters: { new_name: newName.trim() } } }),
        },
      });
      tellTask(
        connectionId,
        `The restore to ${destination.trim()} has begun (task ${answer.task_id}).`,
        answer.task_id,
      );
    },
    onClose,
    ['target_client', 'destination_path', 'new_name', 'granular_restore_files', 'data_deployment'],
  );

  const browse = () => {
    command('dialog.pickFolder', {
      title: 'Restore to',
      ...(destination === '' ? {} : { defaultPath: destination }),
    }).then(
      (picked) => {
        if (picked !== null) setDestination(picked);
      },
      (error: unknown) => showNotice({ level: 'error', message: problemOf(error).message }),
    );
  };
  const choices = [...new Set([copy.client, ...clients.map((one) => one.client_name)])];
  const isDamaged = copy.status === 'Broken' || copy.status === 'Suspicious';
  return (
    <Dialog
      title="Restore"
      submitLabel="Start restore"
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      isWide
      summary={summaryOf(copy, words, {
        items: selected.size,
        destination: destination.trim(),
        newName: words.hasNewName ? newName.trim() : '',
        isDeployed,
      })}
    >
      {isDamaged && (
        <p className="banner banner-warning">
          This copy is {copy.status.toLowerCase()}. What is damaged is left out and listed in the task's log.
        </p>
      )}
      <div
        style={{
          display: 'grid',
          gridTemplateColumns: 'minmax(0, 3fr) minmax(0, 2fr)',
          gap: 20,
          minHeight: 0,
        }}
      >
        <div className="page-section" style={{ minHeight: 0 }}>
          <h3>What</h3>
          <p className="caption selectable">
            {showHidden(copy.resource)}, {serverTime(copy.created)}.{' '}
            {words.whole ??
              (selected.size === 0
                ? 'Nothing is ticked: everything is restored.'
                : `${counted(selected.size, 'item')} ticked.`)}
          </p>
          {words.hasFiles && copy.file_list_available && <FilesView files={files} hasChecks heightPx={300} />}
          {words.hasFiles && !copy.file_list_available && (
            <p className="muted">This copy has no list of files; it can be restored as a whole only.</p>
          )}
          {errors.granular_restore_files !== undefined && (
            <span className="field-error">{showHidden(errors.granular_restore_files)}</span>
          )}
        </div>
        <div className="page-section" style={{ gap: 12 }}>
          <h3>Where and how</h3>
          <SelectField
            label="Target client"
            value={client}
            onChange={setClient}
            error={errors.target_client}
            choices={choices.map((one) => ({ value: one, label: showHidden(one) }))}
          />
          <TextField
            label={words.place}
            value={destination}
            onChange={setDestination}
            error={errors.destination_path}
            placeholder={words.example}
            help={words.help}
            mono
            autoFocus
            beside={words.isFolder ? <Button onClick={browse}>Browse…</Button> : undefined}
          />
          {words.hasNewName && (
            <TextField
              label="New name"
              value={newName}
              onChange={setNewName}
              error={errors.new_name}
              placeholder={showHidden(copyName(copy))}
              help="Empty keeps the name it had."
            />
          )}
          {words.deployment !== null && (
            <Checkbox
              label={words.deployment.label}
              checked={isAsked}
              onChange={setAsked}
              error={errors.data_deployment}
              help={words.deployment.help}
            />
          )}
        </div>
      </div>
      <TapeWants connectionId={connectionId} copy={copy} />
    </Dialog>
  );
}

function summaryOf(
  copy: Copy,
  words: RestoreWords,
  wish: {
    readonly items: number;
    readonly destination: string;
    readonly newName: string;
    readonly isDeployed: boolean;
  },
): string {
  const { items, destination, newName, isDeployed } = wish;
  if (destination === '') return words.todo;
  const name = newName === '' ? copyName(copy) : newName;
  const where = isDeployed ? destination : `${destination.replace(/\/+$/, '')}/${name}`;
  if (words.outcome !== null) return words.outcome(showHidden(copy.resource), showHidden(where));
  const what = items === 0 ? 'Everything' : counted(items, 'item');
  return `${what} of ${showHidden(copy.resource)} ${items > 1 ? 'go' : 'goes'} to ${showHidden(where)}.`;
}
