import { useState } from 'react';
import { useStore } from 'zustand';
import { languageChoices } from '../../contract/desktop/languages.ts';
import {
  clocks,
  densities,
  desktopNoticeKinds,
  localTimes as localTimesChoices,
  type Settings,
  themes,
} from '../../contract/desktop/settings.ts';
import { command } from '../bridge.ts';
import { textsOf } from '../texts/index.ts';
import { Checkbox, Dialog, SelectField, TextField } from '../ui/index.ts';
import { applySettings, shell } from './shell-store.ts';
import { useSubmit } from './use-submit.ts';

const words = textsOf('preferences');

export function PreferencesDialog(props: { readonly onClose: () => void }) {
  const settings = useStore(shell, (state) => state.settings);
  const hasTray = useStore(shell, (state) => state.info?.tray ?? true);
  const [theme, setTheme] = useState(settings.theme);
  const [language, setLanguage] = useState(settings.language);
  const [density, setDensity] = useState(settings.density);
  const [clock, setClock] = useState(settings.clock);
  const [localTimes, setLocalTimes] = useState(settings.localTimes);
  const [desktopNotices, setNotices] = useState(settings.desktopNotices);
  const [closeWithoutTray, setClose] = useState(settings.closeWithoutTray);
  const [lookForUpdates, setLook] = useState(settings.lookForUpdates);
  const [updateFeed, setFeed] = useState(settings.updateFeed);
  const { isBusy, problem, errors, submit } = useSubmit(async () => {
    applySettings(
      await command('settings.set', {
        theme,
        language,
        density,
        clock,
        localTimes,
        desktopNotices,
        closeWithoutTray,
        lookForUpdates,
        // What is not shown any more is not changed either.
        ...(lookForUpdates ? { updateFeed } : {}),
      }),
    );
  }, props.onClose);
  return (
    <Dialog
      title={words.title}
      submitLabel={words.save}
      onSubmit={submit}
      onClose={props.onClose}
      isBusy={isBusy}
      problem={problem}
    >
      <Choice
        label={words.theme}
        value={theme}
        values={themes}
        words={words.themes}
        error={errors.theme}
        onChange={setTheme}
      />
      <Choice
        label={words.language}
        value={language}
        values={languageChoices}
        words={words.languages}
        error={errors.language}
        onChange={setLanguage}
      />
      <Choice
        label={words.density}
        value={density}
        values={densities}
        words={words.densities}
        error={errors.density}
        onChange={setDensity}
      />
      <Choice
        label={words.clock}
        value={clock}
        values={clocks}
        words={words.clocks}
        error={errors.clock}
        onChange={setClock}
      />
      <Choice
        label={words.localTimes}
        value={localTimes}
        values={localTimesChoices}
        words={words.localTimesChoices}
        help={words.localTimesHelp}
        error={errors.localTimes}
        onChange={setLocalTimes}
      />
      <fieldset className="radio-group check-group">
        <legend>{words.notices}</legend>
        {desktopNoticeKinds.map((kind) => (
          <Checkbox
            key={kind}
            label={words.noticeKinds[kind]}
            checked={desktopNotices[kind]}
            onChange={(isOn) => setNotices((before) => ({ ...before, [kind]: isOn }))}
          />
        ))}
      </fieldset>
      <Checkbox label={words.lookForUpdates} checked={lookForUpdates} onChange={setLook} />
      {lookForUpdates && (
        <TextField
          label={words.updateFeed}
          value={updateFeed}
          help={words.updateFeedHelp}
          error={errors.updateFeed}
          onChange={setFeed}
        />
      )}
      {!hasTray && (
        <Choice
          label={words.close}
          value={closeWithoutTray}
          values={['ask', 'background', 'quit'] satisfies readonly Settings['closeWithoutTray'][]}
          words={words.closing}
          help={words.closeHelp}
          error={errors.closeWithoutTray}
          onChange={setClose}
        />
      )}
    </Dialog>
  );
}

function Choice<V extends string>(props: {
  readonly label: string;
  readonly value: V;
  readonly values: readonly V[];
  readonly words: Readonly<Record<V, string>>;
  readonly help?: string;
  readonly error: string | undefined;
  readonly onChange: (value: V) => void;
}) {
  return (
    <SelectField
      label={props.label}
      value={props.value}
      choices={props.values.map((value) => ({ value, label: props.words[value] }))}
      help={props.help}
      error={props.error}
      onChange={(chosen) => {
        const value = props.values.find((one) => one === chosen);
        if (value !== undefined) props.onChange(value);
      }}
    />
  );
}
