import { useEffect, useRef, useState } from 'react';
import type { Client } from '../../../contract/clients/client.ts';
import type { ExtensionParameter } from '../../../contract/tasks/module-parameters.ts';
import { call, problemOf } from '../../bridge.ts';
import { BrowseButton } from '../../shell/browse-button.tsx';
import { type Offer, offerOf, poolChoices, withOwn } from '../../shell/choices.ts';
import { FieldList } from '../../shell/field-list.tsx';
import { type FormValues, flagOf, numberOrNull } from '../../shell/form-values.ts';
import type { FormField } from '../../shell/open-dialog.ts';
import {
  askExtension,
  extensionsOf,
  parameterFields,
  parameterInitial,
} from '../../shell/parameter-fields.ts';
import { periodWords } from '../../shell/period-words.ts';
import { resourceLabel, resourceTypeWord, resourceWords } from '../../shell/resource-words.ts';
import { tellTask } from '../../shell/tell.ts';
import { AskFailure, useAsked } from '../../shell/use-asked.tsx';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Dialog, Disclosure, SelectField, showHidden, TextField } from '../../ui/index.ts';

const texts = textsOf('tasks');
const common = textsOf('common');

/** What the chosen type lets a person tune, by the part of the body that it belongs to. */
interface Tuning {
  readonly module: readonly ExtensionParameter[];
  readonly common: readonly ExtensionParameter[];
}

const nothing: Offer = { choices: [] };
const ofFiles = 'File system';
const noTuning: Tuning = { module: [], common: [] };
const ordinary: FormValues = { priority: '100', archiving: false };
const furtherFields: readonly FormField[] = [
  { name: 'priority', label: texts.backup.priority, type: 'number', help: texts.backup.priorityHelp },
  { name: 'archiving', label: texts.backup.archiving, type: 'checkbox', help: texts.backup.archivingHelp },
];
const durations = ['1 week', '1 month', '3 months', '1 year', '5 years'];

export function NewBackupDialog(props: {
  readonly connectionId: string;
  /** The one to begin with; without it the first of the server. */
  readonly client?: Client | undefined;
  readonly onClose: () => void;
}) {
  const { connectionId, onClose } = props;
  const { offer, modulesOf } = useOffer(connectionId, props.client);
  const [problemOfType, setProblemOfType] = useState<string | null>(null);
  const [chosenClient, setChosenClient] = useState(props.client?.client_name ?? null);
  const [resourceType, setResourceType] = useState(() => typeFor(props.client?.modules ?? [], ofFiles));
  const [resource, setResource] = useState('');
  const [chosenPool, setChosenPool] = useState<string | null>(null);
  const [keepFor, setKeepFor] = useState('1 year');
  const [crypto, setCrypto] = useState('nocrypt');
  const [tuning, setTuning] = useState(noTuning);
  const [values, setValues] = useState(ordinary);
  const [cryptoNames, setCryptoNames] = useState<readonly string[]>(['nocrypt']);
  const clients = offer.answer?.clients ?? nothing;
  const pools = offer.answer?.pools ?? nothing;
  const client = chosenClient ?? clients.choices[0]?.value ?? '';
  const pool = chosenPool ?? pools.choices[0]?.value ?? '';

  useEffect(() => {
    const stop = new AbortController();
    const query = { resource_type: resourceType };
    setTuning(noTuning);
    setProblemOfType(null);
    askExtension(() => call(connectionId, 'taskQueue.extension', { query }, stop.signal)).then(
      (extension) => {
        if (stop.signal.aborted) return;
        const names = extension?.crypto?.values ?? [];
        if (names.length > 0) setCryptoNames(names);
        const module = extension?.module_extensions ?? [];
        const common = extension?.common_modules_extensions ?? [];
        setTuning({ module, common });
        setValues(({ priority = '', archiving = false }) => ({
          priority,
          archiving,
          ...parameterInitial([...module, ...common]),
        }));
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setProblemOfType(problemOf(error).message);
      },
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
  const isOfFiles = resourceType === ofFiles;
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

  const chooseClient = (name: string) => {
    setChosenClient(name);
    setResourceType((before) => typeFor(modulesOf(name), before));
  };
  return (
    <Dialog
      title={texts.backup.title}
      submitLabel={texts.backup.submit}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem ?? problemOfType}
      submitDisabledBecause={offer.answer === null ? texts.backup.loading : null}
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
      <AskFailure asked={offer} />
      <SelectField
        label={common.client}
        value={client}
        onChange={chooseClient}
        error={errors.client}
        {...clients}
      />
      <SelectField
        label={texts.backup.resourceType}
        value={resourceType}
        onChange={setResourceType}
        error={errors.resource_type}
        choices={typesOf(modulesOf(client)).map((one) => ({
          value: one,
          label: showHidden(resourceTypeWord(one)),
        }))}
      />
      <TextField
        label={resourceLabel}
        labelNote={words.note}
        value={resource}
        onChange={setResource}
        error={errors.resource}
        placeholder={words.example}
        help={words.help}
        mono
        autoFocus
        beside={
          words.isFolder ? (
            <BrowseButton of="folder" title={texts.backup.pickFolder} from={resource} onPick={setResource} />
          ) : undefined
        }
      />
      {!isOfFiles && <FieldList {...form} fields={parameterFields(tuning.module)} />}
      <SelectField label={common.pool} value={pool} onChange={setChosenPool} error={errors.pool} {...pools} />
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

const typesOf = (modules: readonly string[]) => (modules.length === 0 ? [ofFiles] : modules);

/** The type that is wanted where a client can back it up, else the first that it can. */
function typeFor(modules: readonly string[], wanted: string): string {
  return modules.includes(wanted) ? wanted : (modules[0] ?? wanted);
}

/** Clients and pools to choose from; of each client that was offered it is known what it can back up. */
function useOffer(connectionId: string, first: Client | undefined) {
  const known = useRef(new Map(first === undefined ? [] : [[first.client_name, first]]));
  const offer = useAsked(
    async (signal) => {
      const [clients, pools] = await Promise.all([
        offerOf<Client>(
          (query, stop = signal) => call(connectionId, 'clients.list', { query }, stop),
          (found) =>
            found.map((client) => {
              known.current.set(client.client_name, client);
              return { value: client.client_name, label: showHidden(client.client_name) };
            }),
        ),
        poolChoices(connectionId),
      ]);
      return { clients: withOwn(clients, first?.client_name ?? null), pools };
    },
    [connectionId],
  );
  return { offer, modulesOf: (name: string) => known.current.get(name)?.modules ?? [] };
}
