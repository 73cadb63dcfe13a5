import * as Radix from '@radix-ui/react-dropdown-menu';
import { createContext, type ReactNode, type Ref, useContext } from 'react';
import { showHidden } from './text.ts';

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

/** Where buttons stand: the actions of a toolbar are drawn as items when they are shown in the menu of a row. */
export const ButtonPlace = createContext<'page' | 'menu'>('page');

export function Button(props: ButtonProps) {
  const place = useContext(ButtonPlace);
  return place === 'menu' ? <MenuItem {...props} /> : <PageButton {...props} />;
}

/** Names of a server stand in labels and reasons too: a tooltip and a screen reader show what is there. */
const labelOf = ({ label }: ButtonProps): string | undefined =>
  label === undefined ? undefined : showHidden(label);

function PageButton(props: ButtonProps) {
  const { kind = 'plain', type = 'button', disabledBecause = null, large = false } = props;
  const isDisabled = disabledBecause !== null;
  const label = labelOf(props);
  return (
    <button
      ref={props.ref}
      type={type}
      className={`button button-${kind}${large ? ' button-large' : ''}`}
      aria-disabled={isDisabled}
      aria-label={label}
      title={disabledBecause === null ? label : showHidden(disabledBecause)}
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

/** One that cannot be used stays where the arrows lead, as buttons do, so that its reason is read there too. */
function MenuItem(props: ButtonProps) {
  const { disabledBecause = null } = props;
  const label = labelOf(props);
  const isDisabled = disabledBecause !== null;
  return (
    <Radix.Item
      className={`menu-item${props.kind === 'danger' && !isDisabled ? ' meaning-error' : ''}`}
      aria-disabled={isDisabled}
      aria-label={label}
      aria-description={isDisabled ? showHidden(disabledBecause) : undefined}
      title={isDisabled ? showHidden(disabledBecause) : undefined}
      onSelect={(event) => {
        if (isDisabled) event.preventDefault();
        else props.onClick?.();
      }}
    >
      {props.children}
      {isDisabled && (
        // For eyes, on the item that the arrows came to; it is no part of the item's name.
        <span aria-hidden className="menu-reason">
          {showHidden(disabledBecause)}
        </span>
      )}
    </Radix.Item>
  );
}
