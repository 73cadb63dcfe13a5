import { useId, useState } from 'react';
import { useStore } from 'zustand';
import { command } from '../../bridge.ts';
import { shell } from '../../shell/shell-store.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Checkbox, Dialog, showHidden, TextField } from '../../ui/index.ts';

const { add, signIn: words } = textsOf('connections');

export function SignInDialog(props: { readonly connectionId: string; readonly onClose: () => void }) {
  const { connectionId, onClose } = props;
  const connection = useStore(shell, (state) => state.connections.find((one) => one.id === connectionId));
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(connection?.remember ?? true);
  const callId = useId();
  const { isBusy, problem, errors, submit } = useSubmit(async () => {
    await command('connections.signIn', { connectionId, password, remember, callId });
  }, onClose);
  const giveUp = () => {
    if (isBusy) command('api.cancel', { callId }).catch(() => undefined);
    onClose();
  };
  return (
    <Dialog
      title={t('connections.signIn.title', { server: showHidden(connection?.name ?? words.someServer) })}
      submitLabel={words.submit}
      onSubmit={submit}
      onClose={giveUp}
      isBusy={isBusy}
      problem={problem}
    >
      <p className="selectable">
        {t('connections.account', {
          user: showHidden(connection?.userName ?? ''),
          address: showHidden(connection?.address ?? ''),
        })}
      </p>
      <TextField
        label={add.password}
        type="password"
        value={password}
        onChange={setPassword}
        error={errors.password}
        autoFocus
      />
      <Checkbox label={add.remember} checked={remember} onChange={setRemember} help={add.rememberHelp} />
    </Dialog>
  );
}
