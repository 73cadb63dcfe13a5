import { useEffect, useState } from 'react';
import { problemOf } from '../bridge.ts';
import { t, textsOf } from '../texts/index.ts';
import { Capped, Dialog, showHidden } from '../ui/index.ts';
import type { Removal } from './open-dialog.ts';

const words = textsOf('shell').remove;
const shownMost = 50;

/** Asks before something goes, names it, and lists what goes with it. */
export function RemoveDialog(props: {
  readonly title: string;
  readonly removal: Removal;
  readonly onClose: () => void;
}) {
  const { removal, onClose } = props;
  const [also, setAlso] = useState<readonly string[] | null>(removal.consequences === undefined ? [] : null);
  const [problem, setProblem] = useState<string | null>(null);
  const [reasons, setReasons] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    removal.consequences?.().then(setAlso, (error: unknown) => setProblem(problemOf(error).message));
  }, [removal]);
  const remove = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const refused = await removal.remove();
      if (refused.length === 0) return onClose();
      setReasons(refused);
      setProblem(words.notAll);
    } catch (error) {
      setProblem(problemOf(error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={props.title}
      submitLabel={removal.submitLabel ?? t('common.deleteNow')}
      onSubmit={() => void remove()}
      onClose={onClose}
      isDestructive
      isBusy={isBusy}
      problem={problem}
      submitDisabledBecause={also === null ? words.working : null}
      summary={words.noUndo}
    >
      <Names items={removal.items} />
      {also !== null && also.length > 0 && (
        <>
          <h3>{words.alsoGoes}</h3>
          <Names items={also} />
        </>
      )}
      {reasons.length > 0 && (
        <>
          <h3>{words.stays}</h3>
          <Names items={reasons} />
        </>
      )}
    </Dialog>
  );
}

function Names(props: { readonly items: readonly string[] }) {
  const rest = props.items.length - shownMost;
  return (
    <ul className="lines selectable">
      {props.items.slice(0, shownMost).map((item) => (
        <li key={item}>
          <Capped>{showHidden(item)}</Capped>
        </li>
      ))}
      {rest > 0 && <li className="muted">{t('shell.list.andMore', { rest })}</li>}
    </ul>
  );
}
