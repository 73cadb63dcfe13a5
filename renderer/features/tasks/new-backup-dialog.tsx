import { useEffect, useState } from 'react';
import type { Client } from '../../../contract/clients/client.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import type { ExtensionParameter } from '../../../contract/tasks/module-parameters.ts';
import { call, command, problemOf } from '../../bridge.ts';
import { periodWords } from '../../shell/period-words.ts';
import { resourceTypeWord, resourceWords } from '../../shell/resource-words.ts';
import { showNotice } from '../../shell/shell-store.ts';
import { tellTask } from '../../shell/tell.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, Dialog, SelectField, showHidden, TextField } from '../../ui/index.ts';
import { ModuleFields, type ModuleValues } from './module-fields.tsx';

const texts = textsOf('tasks');
const common = textsOf('common');

interface Offer {
  readonly clients: readonly Client[];
  readonly pools: readonly Pool[];
}

const most = 500;
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
  /** Of the chosen type. Files need none of theirs here. */
  const [parameters, setParameters] = useState<readonly ExtensionParameter[]>([]);
  const [moduleValues, setModuleValues] = useState<ModuleValues>({});
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
    setParameters([]);
    setModuleValues({});
    call(connectionId, 'taskQueue.extension', { query: { resource_type: resourceType } }, stop.signal).then(
      (extension) => {
        if (stop.signal.aborted) return;
        const names = extension.crypto?.values ?? [];
        if (names.length > 0) setCryptoNames(names);
        setParameters(resourceType === 'File system' ? [] : (extension.module_extensions ?? []));
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
            priority: 100,
            storage_duration: keepFor.trim(),
            archiving: false,
          },
          ...(Object.keys(moduleValues).length === 0
            ? {}
            : { module_extensions: { parameters: moduleValues } }),
        },
      });
      tellTask(connectionId, t('tasks.backup.begun', { resource: resource.trim(), id }), id);
    },
    onClose,
    [
      ...['client', 'resource_type', 'resource', 'pool', 'storage_duration', 'crypto', 'use_snapshot'],
      ...parameters.map(({ name }) => name),
    ],
  );
  const words = resourceWords(resourceType);

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
      <ModuleFields
        parameters={parameters}
        values={moduleValues}
        errors={errors}
        onChange={(name, value) => setModuleValues((before) => ({ ...before, [name]: value }))}
      />
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
        error={errors.crypto ?? errors.use_snapshot}
        choices={cryptoNames.map((name) => ({
          value: name,
          label: name === 'nocrypt' ? texts.backup.notEncrypted : showHidden(name),
        }))}
      />
    </Dialog>
  );
}
