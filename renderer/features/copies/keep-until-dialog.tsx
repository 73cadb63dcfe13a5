import { useState } from 'react';
import type { Copy } from '../../../contract/repository/copy.ts';
import { call } from '../../bridge.ts';
import { serverTimeOf } from '../../shell/server-time-of.ts';
import { refreshList } from '../../shell/use-list.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import {
  Checkbox,
  Dialog,
  fieldServerTime,
  formatServerTime,
  nameInText,
  showHidden,
  TextField,
} from '../../ui/index.ts';

const words = textsOf('copies').keep;
const common = textsOf('common');

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
  const what = { id: copy.id, resource: nameInText(copy.resource) };
  const summary = () => {
    if (isForever) return t('copies.keep.untilDeleted', what);
    if (text.trim() === '') return t('copies.keep.sayWhen', { id: copy.id });
    return t('copies.keep.until', {
      ...what,
      time: showHidden(formatServerTime(serverTimeOf(text))),
    });
  };
  return (
    <Dialog
      title={words.title}
      submitLabel={common.save}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      submitDisabledBecause={!isForever && text.trim() === '' ? words.noDate : null}
      summary={summary()}
    >
      <TextField
        label={words.dateAndTime}
        value={isForever ? '' : text}
        onChange={(value) => {
          setForever(false);
          setText(value);
        }}
        error={errors.store_until}
        placeholder="2030-01-31 12:00"
        help={words.help}
        autoFocus
      />
      <Checkbox label={words.forever} checked={isForever} onChange={setForever} />
    </Dialog>
  );
}
