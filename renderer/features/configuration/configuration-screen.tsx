import { useCallback, useEffect, useState } from 'react';
import { type ConfigurationName, isReadOnly } from '../../../contract/configuration/configuration-fields.ts';
import { call, command, problemOf } from '../../bridge.ts';
import { useExtension, useRights } from '../../shell/rights.ts';
import { openDialog, shell, showNotice } from '../../shell/shell-store.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, FailedState, LoadingRows, SearchBox } from '../../ui/index.ts';
import { openChange } from './change-form.ts';
import './configuration.css';
import { changesOf, type Draft, keepDraft, keptDraft, staged, type Values, without } from './draft.ts';
import { ReviewDialog } from './review-dialog.tsx';
import { SettingLine } from './setting-line.tsx';
import { fieldOf, groupsWith } from './setting-words.ts';
import { WindowPreview } from './window-preview.tsx';

const words = textsOf('configuration');

const windowNames: readonly ConfigurationName[] = ['service_window_start', 'service_window_end'];

/** As it is to be, whether that is saved or not. */
function timeOf(name: ConfigurationName, draft: Draft, values: Values): string {
  return String((name in draft ? (draft[name] ?? fieldOf(name).default) : values[name]) ?? '');
}

/** Every setting of the server in groups, with what it means. Changes are gathered, reviewed, and saved together. */
export function ConfigurationScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const [values, setValues] = useState<Values | null>(null);
  const [problem, setProblem] = useState<{ readonly reason: string; readonly since: number } | null>(null);
  const [search, setSearch] = useState(() => shell.getState().place.wish?.search ?? '');
  const [draft, setDraft] = useState<Draft>(() => keptDraft(connectionId));
  const reasonFor = useRights(connectionId);
  const isBundledServer = useExtension(connectionId, 'extensions');
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
  useEffect(() => keepDraft(connectionId, draft), [connectionId, draft]);
  if (values === null) {
    return (
      <>
        <div className="toolbar">
          <h1>{words.title}</h1>
        </div>
        {problem === null ? (
          <LoadingRows />
        ) : (
          <FailedState what={words.failed} reason={problem.reason} since={problem.since} onRetry={load} />
        )}
      </>
    );
  }
  const isService = values.service_mode === true;
  const setService = (isOn: boolean) => {
    call(connectionId, 'configuration.serviceMode', { body: { service_mode: isOn } })
      .then(load)
      .catch((error: unknown) => showNotice({ level: 'error', message: problemOf(error).message }))
      .finally(() => void command('connections.retry', { connectionId }).catch(() => undefined));
  };
  const changes = changesOf(draft, values);
  const take = (name: ConfigurationName, to: unknown) =>
    setDraft((before) => staged(before, values, name, to));
  const change = (name: ConfigurationName) =>
    openChange(name, { now: values[name], wanted: draft[name] ?? values[name], isBundledServer }, (to) =>
      take(name, to),
    );
  const review = () =>
    openDialog({
      kind: 'own',
      draw: (close) => (
        <ReviewDialog
          connectionId={connectionId}
          draft={draft}
          seen={values}
          isBundledServer={isBundledServer}
          onSaved={(saved) => {
            setValues(saved);
            setDraft({});
          }}
          onClose={close}
        />
      ),
    });
  const noWrite = reasonFor('global_configuration.write');
  const noChanges = changes.length === 0 ? words.noChanges : null;
  const groups = groupsWith(search, isBundledServer);
  return (
    <>
      <div className="toolbar">
        <h1>{words.title}</h1>
        <SearchBox label={words.search} value={search} onChange={setSearch} />
        <span className="toolbar-space" />
        <Button onClick={() => setService(!isService)} disabledBecause={reasonFor('service_mode.write')}>
          {isService ? words.leaveServiceMode : words.enterServiceMode}
        </Button>
        <Button label={words.discardAll} onClick={() => setDraft({})} disabledBecause={noChanges}>
          {words.discard}
        </Button>
        <Button kind="primary" onClick={review} disabledBecause={noChanges ?? noWrite}>
          {noChanges === null ? t('configuration.review', { count: changes.length }) : words.reviewNone}
        </Button>
      </div>
      <div className="page">
        {groups.map(({ title, names }) => (
          <section key={title} aria-label={title} className="page-section">
            <h2>{title}</h2>
            <ul className="lines">
              {names.map((name) => (
                <SettingLine
                  key={name}
                  name={name}
                  now={values[name]}
                  change={changes.find((one) => one.name === name) ?? null}
                  isBundledServer={isBundledServer}
                  noWrite={isReadOnly(name) ? words.readOnly : noWrite}
                  onChange={() => change(name)}
                  onDefault={() => take(name, fieldOf(name).default)}
                  onBack={() => setDraft((before) => without(before, name))}
                />
              ))}
            </ul>
            {names.some((name) => windowNames.includes(name)) && (
              <WindowPreview
                connectionId={connectionId}
                start={timeOf('service_window_start', draft, values)}
                end={timeOf('service_window_end', draft, values)}
              />
            )}
          </section>
        ))}
        {groups.length === 0 && <p className="muted">{words.none}</p>}
      </div>
    </>
  );
}
