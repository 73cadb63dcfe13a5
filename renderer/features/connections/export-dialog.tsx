import { useState } from 'react';
import { useStore } from 'zustand';
import { command, ProblemError } from '../../bridge.ts';
import { shell, showNotice } from '../../shell/shell-store.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Dialog, RadioGroup, TextField } from '../../ui/index.ts';

const words = textsOf('connections').exportTo;

/** Writes what the saved connections are to a file; main asks for its name. */
export function ExportConnectionsDialog(props: { readonly onClose: () => void }) {
  const [protection, setProtection] = useState('open');
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const isSealed = protection === 'sealed';
  const hasSome = useStore(shell, (state) => state.connections.some(({ kind }) => kind === 'remote'));
  const { isBusy, problem, errors, submit } = useSubmit(async () => {
    if (isSealed && passphrase !== again)
      throw new ProblemError({
        kind: 'refused',
        message: words.twoDiffer,
        errors: { again: words.differs },
      });
    const { path, count } = await command('connections.export', { passphrase: isSealed ? passphrase : null });
    if (path !== null)
      showNotice({ level: 'info', message: t('connections.exportTo.saved', { count, path }) });
  }, props.onClose);
  return (
    <Dialog
      title={words.title}
      submitLabel={words.submit}
      onSubmit={submit}
      onClose={props.onClose}
      isBusy={isBusy}
      problem={problem}
      submitDisabledBecause={hasSome ? null : words.none}
      summary={words.help}
    >
      <RadioGroup
        label={words.contents}
        value={protection}
        onChange={setProtection}
        choices={[
          { value: 'open', label: words.open },
          { value: 'sealed', label: words.sealed },
        ]}
      />
      {isSealed && (
        <>
          <TextField
            label={words.passphrase}
            type="password"
            value={passphrase}
            onChange={setPassphrase}
            error={errors.passphrase}
            help={words.passphraseHelp}
          />
          <TextField
            label={words.again}
            type="password"
            value={again}
            onChange={setAgain}
            error={errors.again}
          />
        </>
      )}
    </Dialog>
  );
}
