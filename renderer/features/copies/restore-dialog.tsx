import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Copy } from '../../../contract/repository/copy.ts';
import type { ExtensionParameter } from '../../../contract/tasks/module-parameters.ts';
import { call } from '../../bridge.ts';
import { BrowseButton } from '../../shell/browse-button.tsx';
import { clientChoices, withOwn } from '../../shell/choices.ts';
import { copyName, isDamaged } from '../../shell/copy-words.ts';
import { FieldList } from '../../shell/field-list.tsx';
import type { FormValues } from '../../shell/form-values.ts';
import {
  askExtension,
  extensionsOf,
  parameterFields,
  parameterInitial,
} from '../../shell/parameter-fields.ts';
import { TapeWants } from '../../shell/pick-list/tape-wants.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { tellTask } from '../../shell/tell.ts';
import { useAsked } from '../../shell/use-asked.tsx';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import {
  Checkbox,
  Dialog,
  Disclosure,
  nameInText,
  SelectField,
  showHidden,
  TextField,
} from '../../ui/index.ts';
import { FilesView, useFiles } from './file-tree.tsx';
import { type RestoreWords, restoreWords } from './restore-words.ts';

const texts = textsOf('restore');

/** What, where and how, in one dialog: everything can be changed until the button is pressed. */
export function RestoreDialog(props: {
  readonly connectionId: string;
  readonly copy: Copy;
  readonly onClose: () => void;
}) {
  const { connectionId, copy, onClose } = props;
  const files = useFiles(connectionId, copy.id);
  const selected = useStore(files.store, (state) => state.selected);
  // The client of the copy stays as the one choice where none are listed; the server decides.
  const clients = useAsked(() => clientChoices(connectionId), [connectionId]);
  const [client, setClient] = useState(copy.client);
  const [destination, setDestination] = useState('');
  const [newName, setNewName] = useState('');
  const [isAsked, setAsked] = useState(false);
  const [tuning, setTuning] = useState<readonly ExtensionParameter[]>([]);
  const [values, setValues] = useState<FormValues>({});
  const words = restoreWords(copy.resource_type, isAsked);
  const isDeployed = words.deployment === null || isAsked;

  useEffect(() => {
    const stop = new AbortController();
    const query = { repository_id: copy.id };
    askExtension(() => call(connectionId, 'repository.extension', { query }, stop.signal)).then(
      (answer) => {
        if (stop.signal.aborted) return;
        // A new name has its field beside the destination.
        const common = answer?.common_modules_extensions ?? [];
        setTuning(common);
        setValues(parameterInitial(common));
      },
      // Without the answer the server's own values hold; a server that is away says so when the restore is asked for.
      () => setTuning([]),
    );
    return () => stop.abort();
  }, [connectionId, copy.id]);

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
          ...extensionsOf([], tuning, values),
        },
      });
      tellTask(
        connectionId,
        t('restore.begun', { destination: destination.trim(), id: answer.task_id }),
        answer.task_id,
      );
    },
    onClose,
    [
      ...['target_client', 'destination_path', 'new_name', 'granular_restore_files', 'data_deployment'],
      ...tuning.map(({ name }) => name),
    ],
  );

  const offer = withOwn(clients.answer ?? { choices: [] }, copy.client);
  return (
    <Dialog
      title={texts.title}
      submitLabel={texts.submit}
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
      {isDamaged(copy) && <p className="banner banner-warning">{wordFor(texts.damaged, copy.status)}</p>}
      <div
        style={{
          display: 'grid',
          gridTemplateColumns: 'minmax(0, 3fr) minmax(0, 2fr)',
          gap: 20,
          minHeight: 0,
        }}
      >
        <div className="page-section" style={{ minHeight: 0 }}>
          <h3>{texts.what}</h3>
          <p className="caption selectable" title={showHidden(copy.resource)}>
            {nameInText(copy.resource)}, {serverTime(copy.created)}.{' '}
            {words.whole ??
              (selected.size === 0 ? texts.nothingTicked : t('restore.ticked', { count: selected.size }))}
          </p>
          {words.hasFiles && copy.file_list_available && <FilesView files={files} hasChecks heightPx={300} />}
          {words.hasFiles && !copy.file_list_available && <p className="muted">{texts.noFileList}</p>}
          {errors.granular_restore_files !== undefined && (
            <span className="field-error">{showHidden(errors.granular_restore_files)}</span>
          )}
        </div>
        <div className="page-section" style={{ gap: 12 }}>
          <h3>{texts.whereAndHow}</h3>
          <SelectField
            label={texts.targetClient}
            value={client}
            onChange={setClient}
            error={errors.target_client}
            help={
              clients.failure === null
                ? undefined
                : t('restore.clientsNotListed', { reason: showHidden(clients.failure) })
            }
            {...offer}
          />
          <TextField
            label={texts.place}
            labelNote={words.note}
            value={destination}
            onChange={setDestination}
            error={errors.destination_path}
            placeholder={words.example}
            help={words.help}
            mono
            autoFocus
            beside={
              words.isFolder ? (
                <BrowseButton
                  of="folder"
                  title={texts.pickFolder}
                  from={destination}
                  onPick={setDestination}
                />
              ) : undefined
            }
          />
          {words.hasNewName && (
            <TextField
              label={texts.newName}
              value={newName}
              onChange={setNewName}
              error={errors.new_name}
              placeholder={showHidden(copyName(copy))}
              help={texts.newNameHelp}
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
          {tuning.length > 0 && (
            <Disclosure
              label={t('moduleParameters.common')}
              hasError={tuning.some(({ name }) => errors[name] !== undefined)}
            >
              <FieldList
                fields={parameterFields(tuning)}
                values={values}
                errors={errors}
                onChange={(name, value) => setValues((before) => ({ ...before, [name]: value }))}
              />
            </Disclosure>
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
  if (words.outcome !== null) return words.outcome(nameInText(copy.resource), nameInText(where));
  const said = { resource: nameInText(copy.resource), where: nameInText(where) };
  return items === 0 ? t('restore.everythingGoes', said) : t('restore.itemsGo', { ...said, count: items });
}
