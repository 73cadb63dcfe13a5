import * as Radix from '@radix-ui/react-dialog';
import { CircleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { t } from '../texts/index.ts';
import { Button } from './button.tsx';
import { Capped } from './capped.tsx';
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
  /** Null: there is nothing to give up. */
  readonly cancelLabel?: string | null;
  /** Something was typed that would be lost: a slip of the Escape key asks first. */
  readonly hasUnsaved?: boolean;
}

/** A question with one answer. It closes when the work succeeded or the person gives up, never before. */
export function Dialog(props: DialogProps) {
  const { isDestructive = false, isBusy = false, problem = null, hasUnsaved = false } = props;
  const [isAsked, setAsked] = useState(false);
  const focusBack = useFocusBack();
  const cancel = useRef<HTMLButtonElement>(null);
  const content = useRef<HTMLDivElement>(null);
  // After a refusal the first field that is wrong gets the focus.
  useEffect(() => {
    if (problem === null) return;
    content.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
  const leave = () => {
    if (hasUnsaved && !isAsked) setAsked(true);
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
        <Radix.Overlay className="dialog-overlay" />
        <Radix.Content
          ref={content}
          className={`dialog${props.isWide ? ' dialog-wide' : ''}`}
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
          <form onSubmit={submit} style={{ display: 'contents' }} noValidate>
            <div className="dialog-body">
              {problem !== null && (
                <div className="banner banner-error" role="alert">
                  <CircleAlert size={16} aria-hidden />
                  <span className="selectable">
                    <Capped>{showHidden(problem)}</Capped>
                  </span>
                </div>
              )}
              {props.children}
              {props.summary !== undefined && <div className="dialog-summary">{props.summary}</div>}
            </div>
            <div className="dialog-buttons">
              {isAsked && hasUnsaved && (
                <span className="grow-text meaning-warning" role="alert">
                  {t('ui.unsaved')}
                </span>
              )}
              {props.cancelLabel !== null && (
                <Button ref={cancel} onClick={props.onClose}>
                  {props.cancelLabel ?? t('common.cancel')}
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
