import * as Radix from '@radix-ui/react-dropdown-menu';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, ButtonPlace } from './button.tsx';

export interface MenuAction {
  readonly id: string;
  readonly label: string;
  readonly run: () => void;
  readonly disabledBecause?: string | null;
}

/** The button, and below it the list that it opens. */
function MenuButton(props: {
  readonly label: string;
  readonly trigger: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Root>
      <Radix.Trigger className="button button-quiet" aria-label={props.label} title={props.label}>
        {props.trigger}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" align="end" sideOffset={4}>
          {props.children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** Stands before each choice, so that all begin at the same place. */
function ChoiceMark(props: { readonly isOn: boolean }) {
  return <Check size={14} aria-hidden style={{ visibility: props.isOn ? 'visible' : 'hidden' }} />;
}

/** A button that opens a list of actions. */
export function Menu(props: {
  readonly label: string;
  readonly trigger: ReactNode;
  readonly actions: readonly MenuAction[];
}) {
  return (
    <MenuButton label={props.label} trigger={props.trigger}>
      <MenuActions actions={props.actions} />
    </MenuButton>
  );
}

export interface MenuChoice {
  readonly id: string;
  readonly label: string;
  readonly isOn: boolean;
}

/** A button that opens a list of things to switch on and off; it stays open meanwhile. */
export function ChoiceMenu(props: {
  readonly label: string;
  readonly trigger: ReactNode;
  readonly choices: readonly MenuChoice[];
  readonly onChange: (id: string, isOn: boolean) => void;
  readonly actions?: readonly MenuAction[];
}) {
  return (
    <MenuButton label={props.label} trigger={props.trigger}>
      {props.choices.map((choice) => (
        <Radix.CheckboxItem
          key={choice.id}
          className="menu-item menu-choice"
          checked={choice.isOn}
          onCheckedChange={(isOn) => props.onChange(choice.id, isOn)}
          onSelect={(event) => event.preventDefault()}
        >
          <ChoiceMark isOn={choice.isOn} />
          {choice.label}
        </Radix.CheckboxItem>
      ))}
      {props.actions !== undefined && <Radix.Separator className="menu-line" />}
      {props.actions !== undefined && <MenuActions actions={props.actions} />}
    </MenuButton>
  );
}

/** A button that opens a list of which one is chosen, and actions below it. */
export function PickMenu(props: {
  readonly label: string;
  readonly trigger: ReactNode;
  readonly chosen: string | null;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  readonly onChoose: (id: string) => void;
  readonly actions: readonly MenuAction[];
}) {
  return (
    <MenuButton label={props.label} trigger={props.trigger}>
      <Radix.RadioGroup value={props.chosen ?? ''}>
        {props.choices.map((choice) => (
          <Radix.RadioItem
            key={choice.id}
            className="menu-item menu-choice"
            value={choice.id}
            onSelect={() => props.onChoose(choice.id)}
          >
            <ChoiceMark isOn={choice.id === props.chosen} />
            {choice.label}
          </Radix.RadioItem>
        ))}
      </Radix.RadioGroup>
      {props.choices.length > 0 && <Radix.Separator className="menu-line" />}
      <MenuActions actions={props.actions} />
    </MenuButton>
  );
}

export interface MenuPoint {
  readonly x: number;
  readonly y: number;
}

/** A menu at a point of the window. Buttons inside are drawn as its items. */
export function ContextMenu(props: {
  readonly label: string;
  readonly at: MenuPoint;
  readonly onClose: () => void;
  /** Takes the focus when the menu has gone. */
  readonly returnTo: () => HTMLElement | null;
  readonly children: ReactNode;
}) {
  return (
    <Radix.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Radix.Trigger asChild>
        <span style={{ position: 'fixed', left: props.at.x, top: props.at.y }} />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="menu"
          align="start"
          aria-labelledby={undefined}
          aria-label={props.label}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // A dialog that an item opened has the focus already.
            if (document.querySelector('[role="dialog"]') === null) props.returnTo()?.focus();
          }}
        >
          <ButtonPlace.Provider value="menu">{props.children}</ButtonPlace.Provider>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function MenuActions(props: { readonly actions: readonly MenuAction[] }) {
  return (
    <ButtonPlace.Provider value="menu">
      {props.actions.map((action) => (
        <Button key={action.id} onClick={action.run} disabledBecause={action.disabledBecause ?? null}>
          {action.label}
        </Button>
      ))}
    </ButtonPlace.Provider>
  );
}
