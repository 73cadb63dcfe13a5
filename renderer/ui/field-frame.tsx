import { useId } from 'react';
import { t } from '../texts/index.ts';
import { showHidden } from './text.ts';

/** What every field has around it. */
export interface FieldFrame {
  readonly label: string;
  /** Goes on after the label, outside of the field's name: `Folder` stays `Folder` where it may be a device. */
  readonly labelNote?: string | undefined;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
}

export function useFieldIds(frame: FieldFrame) {
  const id = useId();
  const helpId = frame.help === undefined ? undefined : `${id}-help`;
  const errorId = frame.error === undefined ? undefined : `${id}-error`;
  const noteId = frame.labelNote === undefined ? undefined : `${id}-note`;
  const describedBy = [noteId, errorId, helpId].filter(Boolean).join(' ') || undefined;
  return { id, noteId, helpId, errorId, describedBy };
}

export function FieldLabel(props: FieldFrame & { readonly id: string; readonly noteId: string | undefined }) {
  const { id, label, labelNote, noteId } = props;
  const name = (
    <label className="field-label" htmlFor={id}>
      {label}
    </label>
  );
  if (labelNote === undefined) return name;
  return (
    <div>
      {name}{' '}
      <span className="muted" id={noteId}>
        {labelNote}
      </span>
    </div>
  );
}

export function FieldNotes(
  props: FieldFrame & { readonly helpId?: string | undefined; readonly errorId?: string | undefined },
) {
  return (
    <>
      {props.error !== undefined && (
        <span className="field-error" id={props.errorId}>
          {errorSentence([props.label, props.labelNote].filter(Boolean).join(' '), props.error)}
        </span>
      )}
      {props.help !== undefined && (
        <span className="field-help" id={props.helpId}>
          {props.help}
        </span>
      )}
    </>
  );
}

/** A reason such as `must not be empty` is about the field: with its label it is a sentence. */
function errorSentence(label: string, error: string): string {
  return /^(must|is|has|cannot|does|may|never|would)\b/.test(error)
    ? t('ui.fieldReason', { label, reason: showHidden(error) })
    : showHidden(error);
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}
