import { type ReactNode, useState } from 'react';

/** What most people leave as it is: folded away until it is asked for. It is open while something in it is wrong. */
export function Disclosure(props: {
  readonly label: string;
  readonly hasError?: boolean;
  readonly children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const isShown = isOpen || props.hasError === true;
  return (
    <details
      className="disclosure"
      open={isShown}
      onToggle={(event) => event.currentTarget.open !== isShown && setOpen(event.currentTarget.open)}
    >
      <summary>{props.label}</summary>
      <div className="disclosure-body">{props.children}</div>
    </details>
  );
}
