import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { type UserEvent, userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import { Checkbox, Dialog, Menu, SelectField, TextField, Tree } from '../../../renderer/ui/index.ts';
import '../support/patience.ts';

afterEach(cleanup);

const focused = () => document.activeElement?.textContent ?? '';

function Question(props: {
  readonly isDestructive?: boolean;
  readonly onSubmit?: () => void;
  readonly onClose?: () => void;
  readonly submitDisabledBecause?: string;
}) {
  return (
    <Dialog
      title="Delete copies"
      submitLabel="Delete"
      onSubmit={props.onSubmit ?? (() => undefined)}
      onClose={props.onClose ?? (() => undefined)}
      isDestructive={props.isDestructive ?? false}
      submitDisabledBecause={props.submitDisabledBecause ?? null}
    >
      <TextField label="Reason" value="" onChange={() => undefined} />
    </Dialog>
  );
}

test('what takes something away starts on Cancel, so that Enter destroys nothing', async () => {
  const user = userEvent.setup();
  const onSubmit = vi.fn();
  const onClose = vi.fn();
  render(<Question isDestructive onSubmit={onSubmit} onClose={onClose} />);
  expect(screen.getByRole('dialog', { name: 'Delete copies' })).toBeTruthy();
  expect(focused()).toBe('Cancel');
  await user.keyboard('{Enter}');
  expect(onClose).toHaveBeenCalledOnce();
  expect(onSubmit).not.toHaveBeenCalled();
});

test('other dialogs start in their first field, and Enter sends them', async () => {
  const user = userEvent.setup();
  const onSubmit = vi.fn();
  render(<Question onSubmit={onSubmit} />);
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Reason' }));
  await user.keyboard('{Enter}');
  expect(onSubmit).toHaveBeenCalledOnce();
});

test('Escape gives up, a click beside it does not', async () => {
  const user = userEvent.setup({ pointerEventsCheck: 0 });
  const onClose = vi.fn();
  render(<Question onClose={onClose} />);
  const overlay = document.querySelector('.dialog-overlay');
  expect(overlay).not.toBeNull();
  await user.click(overlay as Element);
  expect(onClose).not.toHaveBeenCalled();
  await user.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledOnce();
});

/** A dialog that says nothing of its own about what was changed. */
function Own(props: {
  readonly onClose: () => void;
  readonly isBusy?: boolean;
  readonly isDestructive?: boolean;
  readonly cancelLabel?: string;
}) {
  const [pool, setPool] = useState('a');
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const search = {
    total: 900,
    find: async () => ({ choices: [{ value: 'far', label: 'Far' }], total: 1 }),
  };
  return (
    <Dialog title="New backup" submitLabel="Start" onSubmit={() => undefined} {...props}>
      <TextField label="Folder" value="" onChange={() => undefined} autoFocus />
      <Checkbox label="Encrypted" checked={false} onChange={() => undefined} />
      <SelectField label="Pool" value={pool} choices={[]} search={search} onChange={setPool} />
      <Tree
        label="Files"
        nodes={[
          { id: 'f', name: 'f', level: 1, isExpanded: null, check: ticked.includes('f') ? 'on' : 'off' },
        ]}
        selectedId="f"
        onToggle={() => undefined}
        onSelect={() => undefined}
        onCheck={(id) => setTicked([id])}
      />
    </Dialog>
  );
}

test.each([
  ['a letter in a field', (user: UserEvent) => user.type(screen.getByLabelText('Folder'), 'x'), true],
  ['a tick', (user: UserEvent) => user.click(screen.getByLabelText('Encrypted')), true],
  [
    'a choice that a search found',
    async (user: UserEvent) => {
      await user.type(screen.getByRole('searchbox'), 'far');
      await screen.findByRole('option', { name: 'Far' });
      await user.keyboard('{Enter}{Escape}');
    },
    true,
  ],
  [
    'a tick in a tree by the keyboard',
    async (user: UserEvent) => {
      screen.getByRole('tree').focus();
      await user.keyboard(' ');
    },
    true,
  ],
  ['a search alone', (user: UserEvent) => user.type(screen.getByRole('searchbox'), 'x{Escape}'), false],
])(
  'every dialog asks before it loses what was typed, by Escape and by Cancel: %s',
  async (_what, change, asks) => {
    const onClose = vi.fn();
    const user = userEvent.setup();
    render(<Own onClose={onClose} />);
    await change(user);
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onClose).toHaveBeenCalledTimes(asks ? 0 : 1);
    expect(screen.queryByRole('alert') !== null).toBe(asks);
    if (!asks) return;
    await user.click(screen.getByRole('button', { name: 'Discard' }));
    expect(onClose).toHaveBeenCalledOnce();
  },
);

test.each([
  ['what is on its way', { isBusy: true }, 'Cancel'],
  ['a question about a deletion', { isDestructive: true }, 'Cancel'],
  ['what is done in part', { cancelLabel: 'Close' }, 'Close'],
])('%s is left at once', async (_what, how, leave) => {
  const onClose = vi.fn();
  const user = userEvent.setup();
  render(<Own onClose={onClose} {...how} />);
  await user.type(screen.getByLabelText('Folder'), 'x');
  await user.click(screen.getByRole('button', { name: leave }));
  expect(onClose).toHaveBeenCalledOnce();
});

/** A page with what opens the dialog: a button, and an item of a menu. */
function Page() {
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  return (
    <>
      <button type="button" onClick={open}>
        Ask
      </button>
      <Menu label="More" trigger="…" actions={[{ id: 'ask', label: 'Ask too', run: open }]} />
      {isOpen && (
        <Dialog title="New name" submitLabel="Save" onSubmit={open} onClose={() => setOpen(false)}>
          <TextField label="Name" value="" onChange={() => undefined} autoFocus />
        </Dialog>
      )}
    </>
  );
}

test.each([
  ['a button', 'Ask', [] as readonly string[]],
  ['an item of a menu', 'More', ['Ask too']],
])('the focus goes back to where it came from: %s', async (_what, opener, items) => {
  const user = userEvent.setup();
  render(<Page />);
  screen.getByRole('button', { name: opener }).focus();
  await user.keyboard('{Enter}');
  for (const item of items) {
    (await screen.findByRole('menuitem', { name: item })).focus();
    await user.keyboard('{Enter}');
  }
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name' })));
  await user.keyboard('{Escape}');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: opener })));
});

test('its title shows the name of an object as it is', () => {
  render(
    <Dialog
      title={'Edit \u202Eexe.gpj'}
      submitLabel="Save"
      onSubmit={() => undefined}
      onClose={() => undefined}
    >
      text
    </Dialog>,
  );
  expect(screen.getByRole('dialog', { name: 'Edit \\u202eexe.gpj' })).toBeTruthy();
});

test('the focus stays inside', async () => {
  const user = userEvent.setup();
  render(<Question />);
  for (let press = 0; press < 7; press += 1) {
    await user.tab();
    expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true);
  }
});

test('a button that cannot be used says why and does nothing', async () => {
  const user = userEvent.setup();
  const onSubmit = vi.fn();
  render(<Question onSubmit={onSubmit} submitDisabledBecause="Looking what goes with it" />);
  const button = screen.getByRole('button', { name: 'Delete' });
  expect(button.getAttribute('title')).toBe('Looking what goes with it');
  await user.click(button);
  await user.click(screen.getByRole('textbox'));
  await user.keyboard('{Enter}');
  expect(onSubmit).not.toHaveBeenCalled();
});

function Refused() {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  return (
    <Dialog
      title="Create a pool"
      submitLabel="Create"
      onSubmit={() =>
        setErrors({ pool: 'must not be empty', secret: 'This pool is full: choose another one.' })
      }
      onClose={() => undefined}
      problem={errors.pool === undefined ? null : 'Please correct the marked fields.'}
    >
      <TextField label="Name" value="x" onChange={() => undefined} help="Any text" />
      <SelectField label="Pool" value="" choices={[]} onChange={() => undefined} error={errors.pool} />
      <Checkbox label="Encrypted" checked={false} onChange={() => undefined} error={errors.secret} />
    </Dialog>
  );
}

test('after a refusal the problem is told, each field says what is wrong, the first wrong one has the focus', async () => {
  const user = userEvent.setup();
  render(<Refused />);
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(screen.getByRole('alert').textContent).toBe('Please correct the marked fields.');
  const pool = screen.getByRole('combobox', { name: 'Pool' });
  expect(document.activeElement).toBe(pool);
  expect(pool.getAttribute('aria-invalid')).toBe('true');
  const describedBy = (element: HTMLElement) =>
    (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent)
      .join(' ');
  expect(describedBy(pool)).toBe('Pool must not be empty');
  expect(describedBy(screen.getByRole('checkbox', { name: 'Encrypted' }))).toBe(
    'This pool is full: choose another one.',
  );
  expect(describedBy(screen.getByRole('textbox', { name: 'Name' }))).toBe('Any text');
});
