import * as Radix from '@radix-ui/react-dialog';
import { CircleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { t } from '../texts/index.ts';
import { Button } from './button.tsx';
import { Capped } from './capped.tsx';
import { Edited, useWatch } from './edited.ts';
import { useFocusBack } from './focus-back.ts';
import { showHidden } from './text.ts';

export interface DialogProps {
  /** A verb and its object. */
  readonly title: string;
  readonly children: ReactNode;
  /** What will happen, in one sentence. */
  readonly summary?: ReactNode;
  readonly submitLabel: string;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly isBusy?: boolean;
  /** What went wrong at the last try; the dialog stays open. */
  readonly problem?: string | null;
  readonly submitDisabledBecause?: string | null;
  /** Takes something away: the focus begins on Cancel. */
  readonly isDestructive?: boolean;
  readonly isWide?: boolean;
  /** At the right edge, as high as the window, beside what it is about: for what has more fields than a dialog holds at a glance. */
  readonly isPanel?: boolean;
  /** Without it the button gives up what was typed. Another word, or null: there is nothing to give up. */
  readonly cancelLabel?: string | null | undefined;
  /** Where a dialog knows better than its fields whether leaving loses something. */
  readonly hasUnsaved?: boolean;
}

/**
 * A question with one answer. It closes when the work succeeded or the person gives up, never before; who typed something is
 * asked before it is lost.
 */
export function Dialog(props: DialogProps) {
  const { isDestructive = false, isBusy = false, problem = null, cancelLabel } = props;
  const watch = useWatch();
  const isChanged = props.hasUnsaved ?? watch.isEdited;
  // What is on its way is not lost, and a question about a deletion holds nothing of its own.
  const hasUnsaved = isChanged && cancelLabel === undefined && !isBusy && !isDestructive;
  const isAsked = watch.isAsked && hasUnsaved;
  const focusBack = useFocusBack();
  const cancel = useRef<HTMLButtonElement>(null);
  const content = useRef<HTMLDivElement>(null);
  // After a refusal the first field that is wrong gets the focus.
  useEffect(() => {
    if (problem === null) return;
    content.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
  const leave = () => {
    if (hasUnsaved && !isAsked) watch.setAsked(true);
    else props.onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog that another one has opened is answered alone.
    event.stopPropagation();
    if (isBusy || (props.submitDisabledBecause ?? null) !== null) return;
    props.onSubmit();
  };
  return (
    <Radix.Root open onOpenChange={(open) => !open && leave()}>
      <Radix.Portal>
        <Radix.Overlay className={`dialog-overlay${props.isPanel ? ' dialog-overlay-panel' : ''}`} />
        <Radix.Content
          ref={content}
          className={`dialog${props.isWide ? ' dialog-wide' : ''}${props.isPanel ? ' dialog-panel' : ''}`}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            if (!isDestructive) return;
            event.preventDefault();
            cancel.current?.focus();
          }}
          onCloseAutoFocus={focusBack}
          onPointerDownOutside={(event) => event.preventDefault()}
          onEscapeKeyDown={(event) => {
            // It empties a search first; the next one closes.
            const { target } = event;
            if (target instanceof HTMLInputElement && target.type === 'search' && target.value !== '')
              event.preventDefault();
          }}
        >
          <Radix.Title className="dialog-title">{showHidden(props.title)}</Radix.Title>
          <form onSubmit={submit} onChange={watch.onChange} style={{ display: 'contents' }} noValidate>
            <div className="dialog-body">
              {problem !== null && (
                <div className="banner banner-error" role="alert">
                  <CircleAlert size={16} aria-hidden />
                  <span className="selectable">
                    <Capped>{showHidden(problem)}</Capped>
                  </span>
                </div>
              )}
              <Edited.Provider value={watch.edited}>{props.children}</Edited.Provider>
              {props.summary !== undefined && <div className="dialog-summary">{props.summary}</div>}
            </div>
            <div className="dialog-buttons">
              {isAsked && (
                <span className="grow-text meaning-warning" role="alert">
                  {t('ui.unsaved')}
                </span>
              )}
              {cancelLabel !== null && (
                <Button ref={cancel} onClick={leave}>
                  {isAsked ? t('ui.discard') : (cancelLabel ?? t('common.cancel'))}
                </Button>
              )}
              <Button
                type="submit"
                kind={isDestructive ? 'danger' : 'primary'}
                disabledBecause={isBusy ? t('ui.working') : (props.submitDisabledBecause ?? null)}
              >
                {props.submitLabel}
              </Button>
            </div>
          </form>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
