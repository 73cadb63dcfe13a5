import { useEffect, useState } from 'react';
import type { Client } from '../../../contract/clients/client.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import type { ExtensionParameter } from '../../../contract/tasks/module-parameters.ts';
import { call, command, problemOf } from '../../bridge.ts';
import { FieldList } from '../../shell/field-list.tsx';
import { type FormValues, flagOf, numberOrNull } from '../../shell/form-values.ts';
import type { FormField } from '../../shell/open-dialog.ts';
import { extensionsOf, parameterFields, parameterInitial } from '../../shell/parameter-fields.ts';
import { periodWords } from '../../shell/period-words.ts';
import { resourceTypeWord, resourceWords } from '../../shell/resource-words.ts';
import { showNotice } from '../../shell/shell-store.ts';
import { tellTask } from '../../shell/tell.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, Dialog, Disclosure, SelectField, showHidden, TextField } from '../../ui/index.ts';

const texts = textsOf('tasks');
const common = textsOf('common');

interface Offer {
  readonly clients: readonly Client[];
  readonly pools: readonly Pool[];
}

/** What the chosen type lets a person tune, by the part of the body that it belongs to. */
interface Tuning {
  readonly module: readonly ExtensionParameter[];
  readonly common: readonly ExtensionParameter[];
}

const most = 500;
const noTuning: Tuning = { module: [], common: [] };
const ordinary: FormValues = { priority: '100', archiving: false };
const furtherFields: readonly FormField[] = [
  { name: 'priority', label: texts.backup.priority, type: 'number', help: texts.backup.priorityHelp },
  { name: 'archiving', label: texts.backup.archiving, type: 'checkbox', help: texts.backup.archivingHelp },
];
const durations = ['1 week', '1 month', '3 months', '1 year', '5 years'];

export function NewBackupDialog(props: { readonly connectionId: string; readonly onClose: () => void }) {
  const { connectionId, onClose } = props;
  const [offer, setOffer] = useState<Offer | null>(null);
  const [loadProblem, setLoadProblem] = useState<string | null>(null);
  const [client, setClient] = useState('');
  const [resourceType, setResourceType] = useState('File system');
  const [resource, setResource] = useState('');
  const [pool, setPool] = useState('');
  const [keepFor, setKeepFor] = useState('1 year');
  const [crypto, setCrypto] = useState('nocrypt');
  const [tuning, setTuning] = useState(noTuning);
  const [values, setValues] = useState(ordinary);
  const [cryptoNames, setCryptoNames] = useState<readonly string[]>(['nocrypt']);

  useEffect(() => {
    const stop = new AbortController();
    const query = { page: 1, limit: most };
    Promise.all([
      call(connectionId, 'clients.list', { query }, stop.signal),
      call(connectionId, 'pools.list', { query }, stop.signal),
    ]).then(
      ([clients, pools]) => {
        if (stop.signal.aborted) return;
        setOffer({ clients: clients.items, pools: pools.items });
        setClient((before) => before || (clients.items[0]?.client_name ?? ''));
        setPool((before) => before || (pools.items[0]?.pool_name ?? ''));
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setLoadProblem(problemOf(error).message);
      },
    );
    return () => stop.abort();
  }, [connectionId]);

  useEffect(() => {
    const stop = new AbortController();
    setTuning(noTuning);
    call(connectionId, 'taskQueue.extension', { query: { resource_type: resourceType } }, stop.signal).then(
      (extension) => {
        if (stop.signal.aborted) return;
        const names = extension.crypto?.values ?? [];
        if (names.length > 0) setCryptoNames(names);
        const module = extension.module_extensions ?? [];
        const common = extension.common_modules_extensions ?? [];
        setTuning({ module, common });
        setValues(({ priority = '', archiving = false }) => ({
          priority,
          archiving,
          ...parameterInitial([...module, ...common]),
        }));
      },
      // A server without this answer knows names of its own: the field then takes any text.
      () => setCryptoNames((before) => before),
    );
    return () => stop.abort();
  }, [connectionId, resourceType]);

  const { isBusy, problem, errors, submit } = useSubmit(
    async () => {
      const { id } = await call(connectionId, 'taskQueue.create', {
        body: {
          task: {
            resource_type: resourceType,
            resource: resource.trim(),
            client,
            backup_type: 'full',
            pool,
            crypto,
            // The server says what is wrong with a priority that is none.
            priority: numberOrNull(values, 'priority') ?? Number.NaN,
            storage_duration: keepFor.trim(),
            archiving: flagOf(values, 'archiving'),
          },
          ...extensionsOf(tuning.module, tuning.common, values),
        },
      });
      tellTask(connectionId, t('tasks.backup.begun', { resource: resource.trim(), id }), id);
    },
    onClose,
    [
      ...['client', 'resource_type', 'resource', 'pool', 'storage_duration', 'crypto'],
      ...[...furtherFields, ...tuning.module, ...tuning.common].map(({ name }) => name),
    ],
  );
  const words = resourceWords(resourceType);

  // A backup of files needs nothing of its module; one of a server asks how to get in.
  const isOfFiles = resourceType === 'File system';
  const form = {
    values,
    errors,
    onChange: (name: string, value: string | boolean) =>
      setValues((before) => ({ ...before, [name]: value })),
  };
  const folded = [
    ...furtherFields,
    ...(isOfFiles ? parameterFields(tuning.module) : []),
    ...parameterFields(tuning.common),
  ];

  const chosen = offer?.clients.find((one) => one.client_name === client);
  const modules = chosen?.modules ?? ['File system'];
  const chooseClient = (name: string) => {
    setClient(name);
    const able = offer?.clients.find((one) => one.client_name === name)?.modules ?? [];
    const [first] = able;
    if (first !== undefined && !able.includes(resourceType)) setResourceType(first);
  };
  const browse = () => {
    command('dialog.pickFolder', {
      title: texts.backup.pickFolder,
      ...(resource === '' ? {} : { defaultPath: resource }),
    }).then(
      (picked) => {
        if (picked !== null) setResource(picked);
      },
      (error: unknown) => showNotice({ level: 'error', message: problemOf(error).message }),
    );
  };
  return (
    <Dialog
      title={texts.backup.title}
      submitLabel={texts.backup.submit}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem ?? loadProblem}
      submitDisabledBecause={offer === null ? texts.backup.loading : null}
      summary={
        resource.trim() === ''
          ? words.todo
          : t('tasks.backup.summary', {
              resource: showHidden(resource.trim()),
              pool: showHidden(pool),
              duration: periodWords(keepFor.trim()),
            })
      }
    >
      <SelectField
        label={common.client}
        value={client}
        onChange={chooseClient}
        error={errors.client}
        choices={(offer?.clients ?? []).map((one) => ({
          value: one.client_name,
          label: showHidden(one.client_name),
        }))}
      />
      <SelectField
        label={texts.backup.resourceType}
        value={resourceType}
        onChange={setResourceType}
        error={errors.resource_type}
        choices={(modules.length === 0 ? ['File system'] : modules).map((one) => ({
          value: one,
          label: showHidden(resourceTypeWord(one)),
        }))}
      />
      <TextField
        label={words.place}
        value={resource}
        onChange={setResource}
        error={errors.resource}
        placeholder={words.example}
        help={words.help}
        mono
        autoFocus
        beside={words.isFolder ? <Button onClick={browse}>{common.browse}</Button> : undefined}
      />
      {!isOfFiles && <FieldList {...form} fields={parameterFields(tuning.module)} />}
      <SelectField
        label={common.pool}
        value={pool}
        onChange={setPool}
        error={errors.pool}
        choices={(offer?.pools ?? []).map((one) => ({
          value: one.pool_name,
          label: showHidden(one.pool_name),
        }))}
      />
      <TextField
        label={texts.backup.keepFor}
        value={keepFor}
        onChange={setKeepFor}
        error={errors.storage_duration}
        list={durations}
        help={texts.backup.keepForHelp}
      />
      <SelectField
        label={texts.backup.encryption}
        value={crypto}
        onChange={setCrypto}
        error={errors.crypto}
        choices={cryptoNames.map((name) => ({
          value: name,
          label: name === 'nocrypt' ? texts.backup.notEncrypted : showHidden(name),
        }))}
      />
      <Disclosure
        label={texts.backup.further}
        hasError={folded.some(({ name }) => errors[name] !== undefined)}
      >
        <FieldList {...form} fields={folded} />
      </Disclosure>
    </Dialog>
  );
}
