import { useState } from 'react';
import type { Copy } from '../../../contract/repository/copy.ts';
import { call } from '../../bridge.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { Checkbox, Dialog, formatServerTime, showHidden, TextField } from '../../ui/index.ts';

/** Dates of a server are its local time. What was not touched goes back exactly as it came. */
export function KeepUntilDialog(props: {
  readonly connectionId: string;
  readonly copy: Copy;
  readonly onClose: () => void;
}) {
  const { connectionId, copy, onClose } = props;
  const [isForever, setForever] = useState(copy.store_until === null);
  const [text, setText] = useState(copy.store_until?.slice(0, 19) ?? '');
  const wanted = () => {
    if (isForever) return null;
    if (copy.store_until !== null && text === copy.store_until.slice(0, 19)) return copy.store_until;
    return text.length === 16 ? `${text}:00` : text;
  };
  const { isBusy, problem, errors, submit } = useSubmit(async () => {
    await call(connectionId, 'repository.update', {
      params: { id: copy.id },
      body: { store_until: wanted() },
    });
  }, onClose);
  return (
    <Dialog
      title="Keep until"
      submitLabel="Save"
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      summary={
        isForever
          ? `Copy ${copy.id} of ${showHidden(copy.resource)} is kept until somebody deletes it.`
          : `Copy ${copy.id} of ${showHidden(copy.resource)} is removed by the server after ${formatServerTime(text)}, its local time.`
      }
    >
      <TextField
        label="Date and time"
        type="datetime-local"
        step={1}
        value={isForever ? '' : text}
        onChange={(value) => {
          setForever(false);
          setText(value);
        }}
        error={errors.store_until}
        help="Local time of the server."
        autoFocus
      />
      <Checkbox label="Keep forever" checked={isForever} onChange={setForever} />
    </Dialog>
  );
}
