import { useId, useState } from 'react';
import { useStore } from 'zustand';
import { command } from '../../bridge.ts';
import { shell } from '../../shell/shell-store.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { Checkbox, Dialog, showHidden, TextField } from '../../ui/index.ts';
import { texts } from './connection-texts.ts';

const words = texts.signIn;

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
      title={words.title(showHidden(connection?.name ?? words.someServer))}
      submitLabel={words.submit}
      onSubmit={submit}
      onClose={giveUp}
      isBusy={isBusy}
      problem={problem}
    >
      <p className="selectable">
        {words.account(showHidden(connection?.userName ?? ''), showHidden(connection?.address ?? ''))}
      </p>
      <TextField
        label={texts.add.password}
        type="password"
        value={password}
        onChange={setPassword}
        error={errors.password}
        autoFocus
      />
      <Checkbox
        label={texts.add.remember}
        checked={remember}
        onChange={setRemember}
        help={texts.add.rememberHelp}
      />
    </Dialog>
  );
}
