import { FileClock } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { Connection } from '../../../contract/desktop/connection.ts';
import { command } from '../../bridge.ts';
import { BrowseButton } from '../../shell/browse-button.tsx';
import { goTo, shell, showNotice } from '../../shell/shell-store.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Dialog, formatLocalTime, showHidden, TextField } from '../../ui/index.ts';

const words = textsOf('connections').bundle;

/** Says what will be in the file and what will not, then writes it; main asks for its name. */
export function SaveBundleDialog(props: { readonly connectionId: string; readonly onClose: () => void }) {
  const { connectionId, onClose } = props;
  const name = useStore(
    shell,
    (state) => state.connections.find(({ id }) => id === connectionId)?.name ?? '',
  );
  const { isBusy, problem, submit } = useSubmit(async () => {
    const { path, exchanges } = await command('support.save', { connectionId });
    if (path !== null)
      showNotice({ level: 'info', message: t('connections.bundle.saved', { count: exchanges, path }) });
  }, onClose);
  return (
    <Dialog
      title={words.saveTitle}
      submitLabel={words.save}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      summary={words.names}
    >
      <p>{t('connections.bundle.holds', { server: showHidden(name) })}</p>
      <p>{words.without}</p>
      <p className="muted">{words.visit}</p>
    </Dialog>
  );
}

export function OpenBundleDialog(props: { readonly onClose: () => void }) {
  const { onClose } = props;
  const [path, setPath] = useState('');
  const { isBusy, problem, errors, submit } = useSubmit(async () => {
    const connection = await command('support.open', { path });
    goTo({ connectionId: connection.id, section: 'Overview' });
  }, onClose);
  return (
    <Dialog
      title={words.openTitle}
      submitLabel={words.open}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
    >
      <TextField
        label={words.file}
        value={path}
        onChange={setPath}
        error={errors.path}
        help={words.fileHelp}
        mono
        autoFocus
        beside={<BrowseButton of="file" title={words.pick} onPick={setPath} />}
      />
    </Dialog>
  );
}

/** Above every screen of a recording: nothing here is of now. */
export function RecordingBar(props: { readonly connection: Connection }) {
  return (
    <div className="stale" role="status">
      <FileClock size={16} aria-hidden />
      <span>{t('connections.bundle.bar', { time: formatLocalTime(props.connection.state.since) })}</span>
    </div>
  );
}
