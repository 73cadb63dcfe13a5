import { useState } from 'react';
import type { Copy } from '../../../contract/repository/copy.ts';
import { call } from '../../bridge.ts';
import { refreshList } from '../../shell/use-list.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import {
  Checkbox,
  Dialog,
  fieldServerTime,
  formatServerTime,
  showHidden,
  TextField,
} from '../../ui/index.ts';
import { serverTimeOf } from './server-time.ts';

/** Dates of a server are its local time. What was not touched goes back exactly as it came. */
export function KeepUntilDialog(props: {
  readonly connectionId: string;
  readonly copy: Copy;
  readonly onClose: () => void;
}) {
  const { connectionId, copy, onClose } = props;
  const shown = copy.store_until === null ? '' : fieldServerTime(copy.store_until);
  const [isForever, setForever] = useState(copy.store_until === null);
  const [text, setText] = useState(shown);
  const wanted = () => {
    if (isForever) return null;
    return text.trim() === shown ? copy.store_until : serverTimeOf(text);
  };
  const { isBusy, problem, errors, submit } = useSubmit(
    async () => {
      await call(connectionId, 'repository.update', {
        params: { id: copy.id },
        body: { store_until: wanted() },
      });
      refreshList(connectionId, 'Copies');
    },
    onClose,
    ['store_until'],
  );
  const what = `Copy ${copy.id} of ${showHidden(copy.resource)}`;
  const summary = () => {
    if (isForever) return `${what} is kept until somebody deletes it.`;
    if (text.trim() === '') return `Say until when copy ${copy.id} is kept.`;
    return `${what} is removed by the server after ${showHidden(formatServerTime(serverTimeOf(text)))}, its local time.`;
  };
  return (
    <Dialog
      title="Keep until"
      submitLabel="Save"
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      submitDisabledBecause={!isForever && text.trim() === '' ? 'There is no date yet' : null}
      summary={summary()}
    >
      <TextField
        label="Date and time"
        value={isForever ? '' : text}
        onChange={(value) => {
          setForever(false);
          setText(value);
        }}
        error={errors.store_until}
        placeholder="2030-01-31 12:00"
        help="Local time of the server, like 2030-01-31 12:00. A date alone means its end."
        autoFocus
      />
      <Checkbox label="Keep forever" checked={isForever} onChange={setForever} />
    </Dialog>
  );
}
