import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';

export interface MenuAction {
  readonly id: string;
  readonly label: string;
  readonly run: () => void;
  readonly disabledBecause?: string | null;
}

/** A button that opens a list of actions. */
export function Menu(props: {
  readonly label: string;
  readonly trigger: ReactNode;
  readonly actions: readonly MenuAction[];
}) {
  return (
    <Radix.Root>
      <Radix.Trigger className="button button-quiet" aria-label={props.label}>
        {props.trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align="end" sideOffset={4}>
          {props.actions.map((action) => (
            <Radix.Item
              key={action.id}
              className="menu-item"
              disabled={(action.disabledBecause ?? null) !== null}
              title={action.disabledBecause ?? undefined}
              onSelect={action.run}
            >
              {action.label}
            </Radix.Item>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
