import { useState } from 'react';
import type { FieldErrors } from '../../contract/problem.ts';
import { problemOf } from '../bridge.ts';

/** What every dialog does with its answer: try, show what was refused at its field, close on success only. */
export function useSubmit(work: () => Promise<void>, onDone: () => void) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [errors, setErrors] = useState<FieldErrors>({});
  const submit = () => {
    setBusy(true);
    setProblem(null);
    setErrors({});
    work()
      .then(onDone)
      .catch((error: unknown) => {
        const refused = problemOf(error);
        setProblem(refused.message);
        setErrors(refused.errors ?? {});
      })
      .finally(() => setBusy(false));
  };
  return { isBusy, problem, errors, submit };
}
