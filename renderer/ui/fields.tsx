import { type ReactNode, useId } from 'react';
import { type Choice, type FieldFrame, FieldLabel, FieldNotes, useFieldIds } from './field-frame.tsx';

export interface TextFieldProps extends FieldFrame {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'number' | 'datetime-local';
  readonly autoFocus?: boolean;
  readonly placeholder?: string;
  readonly mono?: boolean;
  readonly list?: readonly string[];
  readonly onBlur?: () => void;
  readonly step?: number;
  /** A button at the right, e.g. "Browse…". */
  readonly beside?: ReactNode;
}

export function TextField(props: TextFieldProps) {
  const ids = useFieldIds(props);
  const listId = props.list === undefined ? undefined : `${ids.id}-list`;
  return (
    <div className="field">
      <FieldLabel {...props} id={ids.id} noteId={ids.noteId} />
      <div className="field-row">
        <input
          id={ids.id}
          className={`input${props.mono ? ' mono' : ''}`}
          type={props.type ?? 'text'}
          value={props.value}
          placeholder={props.placeholder}
          step={props.step}
          list={listId}
          spellCheck={false}
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: the first field of a dialog is where a person begins
          autoFocus={props.autoFocus}
          aria-invalid={props.error !== undefined}
          aria-describedby={ids.describedBy}
          onChange={(event) => props.onChange(event.target.value)}
          onBlur={props.onBlur}
        />
        {props.beside}
      </div>
      {listId !== undefined && (
        <datalist id={listId}>
          {props.list?.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
      <FieldNotes {...props} helpId={ids.helpId} errorId={ids.errorId} />
    </div>
  );
}

/** For texts of several lines, such as a certificate. */
export function TextArea(
  props: FieldFrame & { readonly value: string; readonly onChange: (value: string) => void },
) {
  const ids = useFieldIds(props);
  return (
    <div className="field">
      <label htmlFor={ids.id}>{props.label}</label>
      <textarea
        id={ids.id}
        className="input mono"
        rows={4}
        value={props.value}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={props.error !== undefined}
        aria-describedby={ids.describedBy}
        onChange={(event) => props.onChange(event.target.value)}
      />
      <FieldNotes {...props} helpId={ids.helpId} errorId={ids.errorId} />
    </div>
  );
}

export function Checkbox(props: {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
}) {
  const ids = useFieldIds(props);
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          checked={props.checked}
          aria-invalid={props.error !== undefined}
          aria-describedby={ids.describedBy}
          onChange={(event) => props.onChange(event.target.checked)}
        />
        {props.label}
      </label>
      <FieldNotes {...props} helpId={ids.helpId} errorId={ids.errorId} />
    </div>
  );
}

/** Several of few: the value is what is ticked, in the order of the choices, with commas between. */
export function CheckGroup(props: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
}) {
  const ids = useFieldIds(props);
  const ticked = props.value.split(',').filter((value) => value !== '');
  const toggle = (value: string) => {
    const next = props.choices
      .map((choice) => choice.value)
      .filter((one) => ticked.includes(one) !== (one === value));
    props.onChange(next.join(','));
  };
  return (
    <fieldset className="radio-group check-group" aria-describedby={ids.describedBy}>
      <legend>{props.label}</legend>
      <div className="check-row">
        {props.choices.map((choice) => (
          <label key={choice.value} className="check">
            <input
              type="checkbox"
              checked={ticked.includes(choice.value)}
              aria-invalid={props.error !== undefined}
              onChange={() => toggle(choice.value)}
            />
            {choice.label}
          </label>
        ))}
      </div>
      <FieldNotes {...props} helpId={ids.helpId} errorId={ids.errorId} />
    </fieldset>
  );
}

export function RadioGroup(props: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
}) {
  const name = useId();
  return (
    <fieldset className="radio-group" aria-label={props.label}>
      {props.choices.map((choice) => (
        <label key={choice.value} className="check">
          <input
            type="radio"
            name={name}
            checked={choice.value === props.value}
            onChange={() => props.onChange(choice.value)}
          />
          {choice.label}
        </label>
      ))}
    </fieldset>
  );
}
