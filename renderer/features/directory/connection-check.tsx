import { useEffect, useRef, useState } from 'react';
import type { ApiInput } from '../../../contract/bridge.ts';
import type { DirectoryCheck } from '../../../contract/directory/directory-check.ts';
import type { FieldErrors } from '../../../contract/problem.ts';
import { call, problemOf } from '../../bridge.ts';
import { refusalFor } from '../../shell/use-submit.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { Button, type Meaning, StatusBadge, showHidden } from '../../ui/index.ts';

const words = textsOf('directory').check;
const meanings: Readonly<Record<string, Meaning>> = { ok: 'ok', failed: 'error', not_tried: 'idle' };
/** A server stops counting here. */
const countedMost = 200;

type Body = ApiInput<'directory.check'>['body'];

/** Tries the settings as they stand in the form, without saving them, and shows how each step went. */
export function ConnectionCheck(props: {
  readonly connectionId: string;
  readonly body: Body;
  readonly fields: readonly string[];
  readonly onErrors: (errors: FieldErrors) => void;
}) {
  const { connectionId, body, fields, onErrors } = props;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [tried, setTried] = useState<{ readonly outcome: DirectoryCheck; readonly of: string } | null>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const test = () => {
    const own = new AbortController();
    stop.current = own;
    setBusy(true);
    setProblem(null);
    setTried(null);
    onErrors({});
    call(connectionId, 'directory.check', { body }, own.signal)
      .then((outcome) => !own.signal.aborted && setTried({ outcome, of: JSON.stringify(body) }))
      .catch((error: unknown) => {
        if (own.signal.aborted) return;
        const refused = refusalFor(problemOf(error), fields);
        setProblem(refused.message);
        onErrors(refused.errors);
      })
      .finally(() => !own.signal.aborted && setBusy(false));
  };
  return (
    <section aria-label={words.title} className="page-section">
      <div>
        <Button onClick={test} disabledBecause={isBusy ? t('ui.working') : null}>
          {words.ask}
        </Button>
      </div>
      <p className="caption">{words.hint}</p>
      {problem !== null && (
        <p role="alert" className="meaning-error selectable">
          {showHidden(problem)}
        </p>
      )}
      <div role="status" className="page-section">
        {tried !== null && <Outcome outcome={tried.outcome} isOld={tried.of !== JSON.stringify(body)} />}
      </div>
    </section>
  );
}

function Outcome(props: { readonly outcome: DirectoryCheck; readonly isOld: boolean }) {
  const { outcome, isOld } = props;
  const verdict = outcome.works ? words.works : words.doesNot;
  return (
    <>
      <p>{isOld ? words.changed : verdict}</p>
      <ul className="lines">
        {outcome.steps.map((step) => (
          <li key={step.step}>
            <span className="grow" style={{ whiteSpace: 'normal' }}>
              {showHidden(wordFor(words.steps, step.step))}
              {step.reason !== null && (
                <>
                  <br />
                  <span className="caption selectable">{showHidden(step.reason)}</span>
                </>
              )}
              {step.found !== null && (
                <>
                  <br />
                  <span className="caption">
                    {t(step.found < countedMost ? 'directory.check.found' : 'directory.check.foundMore', {
                      count: step.found,
                    })}
                  </span>
                </>
              )}
            </span>
            <StatusBadge
              meaning={meanings[step.outcome] ?? 'warning'}
              word={wordFor(words.outcomes, step.outcome)}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
