import { useId, useState } from 'react';
import { useStore } from 'zustand';
import { command } from '../../bridge.ts';
import { shell } from '../../shell/shell-store.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { Checkbox, Dialog, showHidden, TextField } from '../../ui/index.ts';

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
      title={`Sign in to ${showHidden(connection?.name ?? 'the server')}`}
      submitLabel="Sign in"
      onSubmit={submit}
      onClose={giveUp}
      isBusy={isBusy}
      problem={problem}
    >
      <p className="selectable">
        {showHidden(connection?.userName ?? '')} at {showHidden(connection?.address ?? '')}
      </p>
      <TextField
        label="Password"
        type="password"
        value={password}
        onChange={setPassword}
        error={errors.password}
        autoFocus
      />
      <Checkbox
        label="Remember me"
        checked={remember}
        onChange={setRemember}
        help="Keeps the session, never the password, in the keychain of this computer."
      />
    </Dialog>
  );
}
