import { useCallback, useEffect, useState } from 'react';
import { configurationFields } from '../../../contract/configuration/configuration-fields.ts';
import { call, command, problemOf } from '../../bridge.ts';
import { useRights } from '../../shell/rights.ts';
import { openDialog, shell, showNotice } from '../../shell/shell-store.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { Button, FailedState, LoadingRows, SearchBox, showHidden } from '../../ui/index.ts';

const words = textsOf('configuration');

type Values = Readonly<Record<string, unknown>>;
type Field = (typeof configurationFields)[keyof typeof configurationFields];

/** Every setting of the server with what it means; one is changed at a time. */
export function ConfigurationScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const [values, setValues] = useState<Values | null>(null);
  const [problem, setProblem] = useState<{ readonly reason: string; readonly since: number } | null>(null);
  const [search, setSearch] = useState(() => shell.getState().place.wish?.search ?? '');
  const reasonFor = useRights(connectionId);
  const load = useCallback(() => {
    call(connectionId, 'configuration.get', {}).then(
      (loaded) => {
        setValues({ ...loaded });
        setProblem(null);
      },
      (error: unknown) => setProblem({ reason: problemOf(error).message, since: Date.now() }),
    );
  }, [connectionId]);
  useEffect(load, [load]);
  if (values === null) {
    return problem === null ? (
      <LoadingRows />
    ) : (
      <FailedState what={words.failed} reason={problem.reason} since={problem.since} onRetry={load} />
    );
  }
  const isService = values.service_mode === true;
  const setService = (isOn: boolean) => {
    call(connectionId, 'configuration.serviceMode', { body: { service_mode: isOn } })
      .then(load)
      .catch((error: unknown) => showNotice({ level: 'error', message: problemOf(error).message }))
      .finally(() => void command('connections.retry', { connectionId }).catch(() => undefined));
  };
  const wanted = search.toLowerCase();
  const fields = Object.entries(configurationFields as Readonly<Record<string, Field>>).filter(
    ([name, field]) => `${name} ${meaningOf(name, field)}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <div className="toolbar">
        <h1>{words.title}</h1>
        <SearchBox label={words.search} value={search} onChange={setSearch} />
        <span className="toolbar-space" />
        <Button onClick={() => setService(!isService)} disabledBecause={reasonFor('service_mode.write')}>
          {isService ? words.leaveServiceMode : words.enterServiceMode}
        </Button>
      </div>
      <div className="page">
        <ul className="lines">
          {fields.map(([name, field]) => (
            <li key={name}>
              <span className="grow" style={{ whiteSpace: 'normal' }}>
                <span className="mono">{name}</span>
                <br />
                <span className="caption">{meaningOf(name, field)}</span>
              </span>
              <span className="mono selectable">{shown(values[name], field)}</span>
              <Button
                kind="quiet"
                label={t('configuration.changeOf', { name })}
                onClick={() => openEdit(connectionId, name, field, values[name], load)}
                disabledBecause={isReadOnly(field) ? words.readOnly : reasonFor('global_configuration.write')}
              >
                {words.changeAsk}
              </Button>
            </li>
          ))}
          {fields.length === 0 && <li className="muted">{words.none}</li>}
        </ul>
      </div>
    </>
  );
}

/** What the contract says of it, in the language of the window; a setting without a text here keeps its own. */
function meaningOf(name: string, field: Field): string {
  return Object.hasOwn(words.meanings, name) ? wordFor(words.meanings, name) : field.meaning;
}

/** Its values are words of the contract, not a path or a text of the server. */
function isOfWords(field: Field): boolean {
  return field.type === 'choice' || field.type === 'boolean';
}

function isReadOnly(field: Field): boolean {
  return field.type === 'readOnlyText' || field.type === 'readOnlyTime';
}

function isUnit(unit: string): unit is keyof typeof words.units {
  return Object.hasOwn(words.units, unit);
}

function shown(value: unknown, field: Field): string {
  if (value === null || value === undefined || value === '') return '–';
  if (field.type === 'integer') {
    const { unit } = field;
    return isUnit(unit) && typeof value === 'number'
      ? t(`configuration.counts.${unit}`, { count: value })
      : t('configuration.valueInUnit', { value: String(value), unit });
  }
  return showHidden(isOfWords(field) ? wordFor(words.values, String(value)) : String(value));
}

function openEdit(
  connectionId: string,
  name: string,
  field: Field,
  value: unknown,
  onDone: () => void,
): void {
  const isFlag = field.type === 'boolean';
  openDialog({
    kind: 'form',
    form: {
      title: t('configuration.changeOf', { name }),
      submitLabel: t('common.save'),
      summary: t('configuration.now', { value: shown(value, field) }),
      fields: [
        {
          name,
          label:
            field.type === 'integer'
              ? t('configuration.fieldInUnit', { name, unit: wordFor(words.units, field.unit) })
              : name,
          type: fieldType(field),
          help: meaningOf(name, field),
          ...(field.type === 'choice'
            ? { choices: field.values.map((one) => ({ value: one, label: wordFor(words.values, one) })) }
            : {}),
        },
      ],
      initial: { [name]: isFlag ? value === true : String(value ?? '') },
      submit: async (values) => {
        const given = values[name];
        const sent = field.type === 'integer' ? Number(given) : given;
        await call(connectionId, 'configuration.update', { body: { [name]: sent } });
        onDone();
      },
    },
  });
}

function fieldType(field: Field): 'text' | 'number' | 'checkbox' | 'select' {
  if (field.type === 'integer') return 'number';
  if (field.type === 'boolean') return 'checkbox';
  return field.type === 'choice' ? 'select' : 'text';
}
