import { useState } from 'react';
import type { ImportItem, ImportPreview } from '../../../contract/desktop/transfer.ts';
import { command } from '../../bridge.ts';
import { BrowseButton } from '../../shell/browse-button.tsx';
import { ColourMark } from '../../shell/colour-mark.tsx';
import { saveSettings, showNotice } from '../../shell/shell-store.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Rich } from '../../texts/rich.tsx';
import { Checkbox, Dialog, showHidden, TextField } from '../../ui/index.ts';
import './connections.css';

const words = textsOf('connections').importFrom;

/** First shows what a file holds; what is here already is replaced only where a person says so. */
export function ImportConnectionsDialog(props: { readonly onClose: () => void }) {
  const { onClose } = props;
  const [path, setPath] = useState('');
  const [passphrase, setPassphrase] = useState('');
  const [preview, setPreview] = useState<ImportPreview | null>(null);
  const [replace, setReplace] = useState<ReadonlySet<number>>(new Set());
  const isShown = preview !== null && !preview.needsPassphrase;
  const needsPassphrase = preview?.needsPassphrase ?? false;
  // Once it was needed the field stays: the file is read again at the end.
  const [wasSealed, setWasSealed] = useState(false);
  const look = useSubmit(async () => {
    const seen = await command('connections.readImport', { path, passphrase: wasSealed ? passphrase : null });
    setPreview(seen);
    setReplace(new Set());
    if (seen.needsPassphrase) setWasSealed(true);
  }, nothing);
  const items = preview?.items ?? [];
  const added = items.filter((item) => item.existingName === null).length;
  const take = useSubmit(async () => {
    const done = await command('connections.import', {
      path,
      passphrase: wasSealed ? passphrase : null,
      digest: preview?.digest ?? '',
      take: items.map((_item, index) => index),
      replace: [...replace],
    });
    if (done.added > 0) saveSettings({ firstRunDone: true });
    showNotice({ level: 'info', message: t('connections.importFrom.done', { ...done }) });
  }, onClose);
  const { isBusy, problem, errors, submit } = isShown ? take : look;
  const otherFile = (chosen: string) => {
    setPath(chosen);
    setPreview(null);
    setWasSealed(false);
    setPassphrase('');
  };
  const nothingToDo = isShown && added === 0 && replace.size === 0 ? words.nothing : null;
  return (
    <Dialog
      title={words.title}
      submitLabel={isShown ? words.submit : words.look}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={problem}
      submitDisabledBecause={nothingToDo}
      summary={
        isShown ? [summaryOf(added, replace.size), added > 0 ? words.signInLater : ''].join(' ') : undefined
      }
    >
      <TextField
        label={words.file}
        value={path}
        onChange={otherFile}
        error={errors.path}
        help={words.fileHelp}
        mono
        autoFocus
        beside={<BrowseButton of="file" title={words.pick} onPick={otherFile} />}
      />
      {(needsPassphrase || wasSealed) && (
        <TextField
          label={words.passphrase}
          type="password"
          value={passphrase}
          onChange={(text) => {
            setPassphrase(text);
            if (isShown) setPreview(null);
          }}
          error={errors.passphrase}
          help={words.passphraseHelp}
          autoFocus
        />
      )}
      {isShown && items.length === 0 && <p className="muted">{words.empty}</p>}
      {isShown && items.length > 0 && (
        <ul className="lines import-lines" aria-label={words.found}>
          {items.map((item, index) => (
            <Item
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is as it is in the file
              key={index}
              item={item}
              isReplaced={replace.has(index)}
              onReplace={(isOn) => setReplace(withOrWithout(replace, index, isOn))}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function summaryOf(added: number, replaced: number): string {
  return replaced === 0
    ? t('connections.importFrom.added', { added })
    : t('connections.importFrom.addedReplaced', { added, replaced });
}

function Item(props: {
  readonly item: ImportItem;
  readonly isReplaced: boolean;
  readonly onReplace: (isOn: boolean) => void;
}) {
  const { item } = props;
  const { existingName } = item;
  return (
    <li>
      <ColourMark colour={item.colour} />
      <div className="import-item">
        <span>
          <strong>{showHidden(item.name)}</strong>{' '}
          <span className="muted">
            {existingName === null
              ? words.isNew
              : t('connections.importFrom.isThere', { name: showHidden(existingName) })}
          </span>
        </span>
        <span className="selectable">
          <Rich
            text="connections.account"
            parts={{
              user: showHidden(item.userName),
              address: <span className="mono">{showHidden(item.address)}</span>,
            }}
          />
          {item.group !== '' && <span className="muted"> · {showHidden(item.group)}</span>}
        </span>
        {item.fingerprint !== null && (
          <span className="caption selectable">
            {t('connections.importFrom.trusts', { fingerprint: showHidden(item.fingerprint) })}
          </span>
        )}
        {tlsFields
          .filter((field) => item.tls !== null && item.tls[field] !== '')
          .map((field) => (
            <span key={field} className="caption selectable">
              {t(`connections.importFrom.${field}`, { path: showHidden(item.tls?.[field] ?? '') })}
            </span>
          ))}
        {existingName !== null && (
          <Checkbox label={words.replace} checked={props.isReplaced} onChange={props.onReplace} />
        )}
      </div>
    </li>
  );
}

/** The files lie on the computer that imports: what stands at these paths there will be used. */
const tlsFields = ['caFile', 'certificateFile', 'keyFile'] as const;

function withOrWithout(set: ReadonlySet<number>, value: number, isIn: boolean): ReadonlySet<number> {
  const next = new Set(set);
  if (isIn) next.add(value);
  else next.delete(value);
  return next;
}

/** Looking into the file leaves the dialog open. */
function nothing(): void {}
