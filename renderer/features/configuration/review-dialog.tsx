import { useRef } from 'react';
import { call } from '../../bridge.ts';
import { useAsked } from '../../shell/use-asked.tsx';
import { useSubmit } from '../../shell/use-submit.ts';
import { textsOf } from '../../texts/index.ts';
import { Capped, ColumnHead, Dialog, LoadingRows, showHidden } from '../../ui/index.ts';
import { bodyOf, type Change, changesOf, type Draft, type Values } from './draft.ts';
import { effectOf, meaningOf, valueShown } from './setting-words.ts';

const texts = textsOf('configuration');
const words = texts.reviewDialog;

export interface ReviewProps {
  readonly connectionId: string;
  readonly draft: Draft;
  /** As the screen shows them: where the server has moved on since, that is said. */
  readonly seen: Values;
  readonly isBundledServer: boolean;
  readonly onSaved: (values: Values) => void;
  readonly onClose: () => void;
}

/** What saving changes, setting by setting, beside what the server has at this moment. Only this is sent. */
export function ReviewDialog(props: ReviewProps) {
  const { connectionId, draft, onClose } = props;
  const { answer: now, failure } = useAsked<Values>(
    async (signal) => ({ ...(await call(connectionId, 'configuration.get', {}, signal)) }),
    [connectionId],
  );
  const changes = now === null ? [] : changesOf(draft, now);
  const saved = useRef<Values>({});
  const { isBusy, problem, errors, submit } = useSubmit(
    async () => {
      const answer = await call(connectionId, 'configuration.update', { body: bodyOf(changes) });
      saved.current = { ...answer };
    },
    () => {
      props.onSaved(saved.current);
      onClose();
    },
    changes.map(({ name }) => name),
  );
  const isIdle = now === null || changes.length === 0;
  return (
    <Dialog
      title={words.title}
      submitLabel={words.save}
      submitDisabledBecause={isIdle ? texts.noChanges : null}
      onSubmit={submit}
      onClose={onClose}
      isBusy={isBusy}
      problem={failure ?? problem}
      isWide
    >
      {now === null && failure === null && <LoadingRows />}
      {now !== null && changes.length === 0 && <p>{words.nothingLeft}</p>}
      {changes.length > 0 && (
        <table className="change-table selectable" aria-label={words.table}>
          <thead>
            <tr>
              <ColumnHead>{words.setting}</ColumnHead>
              <ColumnHead>{words.now}</ColumnHead>
              <ColumnHead>{words.new}</ColumnHead>
              <ColumnHead>{words.what}</ColumnHead>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <ChangeRow
                key={change.name}
                change={change}
                hasMoved={props.seen[change.name] !== change.from}
                error={errors[change.name]}
                isBundledServer={props.isBundledServer}
              />
            ))}
          </tbody>
        </table>
      )}
    </Dialog>
  );
}

function ChangeRow(props: {
  readonly change: Change;
  readonly hasMoved: boolean;
  readonly error: string | undefined;
  readonly isBundledServer: boolean;
}) {
  const { name, from, to } = props.change;
  const effect = effectOf(name, props.isBundledServer);
  return (
    <tr>
      <th scope="row">
        <span className="mono">{name}</span>
        {props.error !== undefined && <p className="meaning-error caption">{showHidden(props.error)}</p>}
      </th>
      <td>
        <Capped>
          <del>{valueShown(from, name)}</del>
        </Capped>
        {props.hasMoved && <p className="caption meaning-warning">{words.movedOn}</p>}
      </td>
      <td>
        <Capped>
          <ins>{valueShown(to, name)}</ins>
        </Capped>
      </td>
      <td>
        {meaningOf(name)}
        {effect !== null && <p className="caption">{effect}</p>}
      </td>
    </tr>
  );
}
