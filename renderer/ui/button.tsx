import type { ReactNode, Ref } from 'react';

export interface ButtonProps {
  readonly children: ReactNode;
  readonly onClick?: () => void;
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  /** Why it cannot be used now; it stays focusable, so that the reason can be read. */
  readonly disabledBecause?: string | null;
  readonly large?: boolean;
  readonly autoFocus?: boolean;
  readonly label?: string;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button(props: ButtonProps) {
  const { kind = 'plain', type = 'button', disabledBecause = null, large = false } = props;
  const isDisabled = disabledBecause !== null;
  return (
    <button
      ref={props.ref}
      type={type}
      className={`button button-${kind}${large ? ' button-large' : ''}`}
      aria-disabled={isDisabled}
      aria-label={props.label}
      title={disabledBecause ?? undefined}
      // biome-ignore lint/a11y/noAutofocus: dialogs say where the focus begins; for destructive ones that is Cancel
      autoFocus={props.autoFocus}
      onClick={(event) => {
        if (isDisabled) event.preventDefault();
        else props.onClick?.();
      }}
    >
      {props.children}
    </button>
  );
}
