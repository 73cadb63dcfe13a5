import { useEffect, useState } from 'react';
import { t } from '../texts/index.ts';
import { useEdited } from './edited.ts';
import { type Choice, type FieldFrame, FieldNotes, useFieldIds } from './field-frame.tsx';
import { showHidden } from './text.ts';

/** What was found of choices that are too many to be offered all, or why nothing was. */
export type FoundChoices =
  | { readonly choices: readonly Choice[]; readonly total: number }
  | { readonly problem: string };

/** How choices are found beyond those that are offered at first. */
export interface ChoiceSearch {
  /** How many there are, with those that are offered. */
  readonly total: number;
  readonly find: (text: string, signal: AbortSignal) => Promise<FoundChoices>;
}

export interface SelectFieldProps extends FieldFrame {
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  /** Without it the choices are all there are. */
  readonly search?: ChoiceSearch | undefined;
}

/** One of several. Where those are too many to be offered all, a search beside the field brings the others. */
export function SelectField(props: SelectFieldProps) {
  return props.search === undefined ? (
    <PlainSelect {...props} />
  ) : (
    <SearchedSelect {...props} search={props.search} />
  );
}

function PlainSelect(props: SelectFieldProps) {
  const ids = useFieldIds(props);
  return (
    <div className="field">
      <label htmlFor={ids.id}>{props.label}</label>
      <Options {...props} id={ids.id} describedBy={ids.describedBy} />
      <FieldNotes {...props} helpId={ids.helpId} errorId={ids.errorId} />
    </div>
  );
}

const typingMs = 150;

function SearchedSelect(props: SelectFieldProps & { readonly search: ChoiceSearch }) {
  const { search, value, choices, onChange } = props;
  const ids = useFieldIds(props);
  const edited = useEdited();
  const saidId = `${ids.id}-said`;
  const [typed, setTyped] = useState('');
  const { wanted, found, said } = useFound(search, choices, typed);
  const takeFirst = () => {
    const first = found.find((one) => one.value !== '');
    if (wanted === '' || first === undefined) return;
    edited();
    onChange(first.value);
  };
  return (
    <div className="field">
      <label htmlFor={ids.id}>{props.label}</label>
      <div className="field-row">
        <input
          type="search"
          className="input choice-search"
          value={typed}
          placeholder={t('ui.choices.find')}
          aria-label={t('ui.choices.find')}
          aria-describedby={saidId}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            // In a dialog Enter would send the form, Escape close it.
            if (event.key === 'Enter') takeFirst();
            else if (event.key === 'Escape' && typed !== '') setTyped('');
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
        <Options
          {...props}
          choices={withChosen(found, choices, value)}
          id={ids.id}
          describedBy={ids.describedBy}
        />
      </div>
      <span className="caption" id={saidId} role="status">
        {said}
      </span>
      <FieldNotes {...props} helpId={ids.helpId} errorId={ids.errorId} />
    </div>
  );
}

/** What the search brings, a moment after the last letter; the choices from before stay until then. */
function useFound(search: ChoiceSearch, first: readonly Choice[], typed: string) {
  const [answer, setAnswer] = useState<{ readonly to: string; readonly found: FoundChoices } | null>(null);
  const wanted = typed.trim();
  useEffect(() => {
    if (wanted === '') {
      setAnswer(null);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      void search.find(wanted, stop.signal).then((found) => {
        if (!stop.signal.aborted) setAnswer({ to: wanted, found });
      });
    }, typingMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [search, wanted]);
  const isOld = wanted !== '' && answer?.to !== wanted;
  const { found } = answer ?? { found: { choices: first, total: search.total } };
  const said = () => {
    if (isOld) return t('ui.choices.searching');
    if ('problem' in found) return t('ui.choices.failed', { reason: showHidden(found.problem) });
    const { choices, total } = found;
    const count = choices.filter(({ value }) => value !== '').length;
    if (wanted === '') return t('ui.choices.offered', { count, total });
    if (count === 0) return t('ui.choices.nothing', { text: showHidden(wanted) });
    return count < total ? t('ui.choices.foundFirst', { count, total }) : t('ui.choices.found', { count });
  };
  return { wanted: isOld ? '' : wanted, found: 'problem' in found ? first : found.choices, said: said() };
}

/** What is chosen stays, also where the search did not find it. */
function withChosen(found: readonly Choice[], first: readonly Choice[], value: string): readonly Choice[] {
  if (found.some((one) => one.value === value)) return found;
  const chosen = first.find((one) => one.value === value);
  return [chosen ?? { value, label: showHidden(value) }, ...found];
}

function Options(
  props: SelectFieldProps & { readonly id: string; readonly describedBy: string | undefined },
) {
  return (
    <select
      id={props.id}
      className="input"
      value={props.value}
      aria-invalid={props.error !== undefined}
      aria-describedby={props.describedBy}
      onChange={(event) => props.onChange(event.target.value)}
    >
      {props.choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  );
}
