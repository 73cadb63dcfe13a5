import { useState } from 'react';
import type { FieldErrors, Problem } from '../../contract/problem.ts';
import { problemOf } from '../bridge.ts';
import { t } from '../texts/index.ts';

export interface Refusal {
  readonly message: string;
  /** By the name of the field in the dialog. */
  readonly errors: FieldErrors;
}

/**
 * The answer of a server, told in the words of a dialog with these fields (null: not known). Servers name a field by its way into the body
 * (`task.resource`); the last part is the field. A message that only names fields gives way to one without such names;
 * reasons that belong to no field of the dialog stand in the message, so that nothing is lost.
 */
export function refusalFor(problem: Problem, fields: readonly string[] | null): Refusal {
  const given = Object.entries(problem.errors ?? {});
  const isPlaced = (way: string) => fields === null || fields.includes(fieldOf(way));
  const errors = Object.fromEntries(given.map(([way, reason]) => [fieldOf(way), reason]));
  const elsewhere = given.filter(([way]) => !isPlaced(way)).map(([way, reason]) => `${way} ${reason}`);
  const isOnlyNames = given.length > 0 && given.some(([way]) => problem.message.includes(way));
  const isMarked = fields !== null && given.some(([way]) => isPlaced(way));
  const message = isOnlyNames && isMarked ? t('shell.correctMarked') : problem.message;
  const missing = elsewhere.filter((reason) => !message.includes(reason));
  return { message: missing.length === 0 ? message : `${message} ${missing.join('; ')}.`, errors };
}

function fieldOf(way: string): string {
  return way.split('.').at(-1) ?? way;
}

/** What every dialog does with its answer: try, show what was refused at its field, close on success only. */
export function useSubmit(
  work: () => Promise<void>,
  onDone: () => void,
  fields: readonly string[] | null = null,
) {
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
        const refused = refusalFor(problemOf(error), fields);
        setProblem(refused.message);
        setErrors(refused.errors);
      })
      .finally(() => setBusy(false));
  };
  return { isBusy, problem, errors, submit };
}
