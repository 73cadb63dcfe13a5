import { useId } from 'react';
import { t } from '../texts/index.ts';
import { showHidden } from './text.ts';

/** What every field has around it. */
export interface FieldFrame {
  readonly label: string;
  readonly help?: string | undefined;
  readonly error?: string | undefined;
}

export function useFieldIds(frame: FieldFrame) {
  const id = useId();
  const helpId = frame.help === undefined ? undefined : `${id}-help`;
  const errorId = frame.error === undefined ? undefined : `${id}-error`;
  return { id, helpId, errorId, describedBy: [errorId, helpId].filter(Boolean).join(' ') || undefined };
}

export function FieldNotes(
  props: FieldFrame & { readonly helpId?: string | undefined; readonly errorId?: string | undefined },
) {
  return (
    <>
      {props.error !== undefined && (
        <span className="field-error" id={props.errorId}>
          {errorSentence(props.label, props.error)}
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
