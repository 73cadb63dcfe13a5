import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { FormDialog } from '../../../renderer/shell/form-dialog.tsx';
import '../support/patience.ts';

afterEach(cleanup);

function open() {
  const onClose = vi.fn();
  const form = {
    title: 'Edit pool',
    submitLabel: 'Save',
    fields: [{ name: 'description', label: 'Description', type: 'text' }],
    initial: { description: 'old' },
    submit: async () => undefined,
  } as const;
  render(<FormDialog form={form} onClose={onClose} />);
  return { onClose, user: userEvent.setup(), field: screen.getByLabelText('Description') };
}

test('Escape leaves a form that was not changed, or was changed back, at once', async () => {
  const { onClose, user, field } = open();
  await user.type(field, 'x{Backspace}{Escape}');
  expect(onClose).toHaveBeenCalledOnce();
});

test('Escape in a changed form asks, and a second one discards; what was typed is there until then', async () => {
  const { onClose, user, field } = open();
  await user.type(field, 'er{Escape}');
  expect(onClose).not.toHaveBeenCalled();
  expect(screen.getByRole('alert').textContent).toContain('not saved');
  expect(field).toHaveProperty('value', 'older');
  await user.keyboard('{Escape}');
  expect(onClose).toHaveBeenCalledOnce();
});

test('Cancel leaves an unchanged form at once, and asks in a changed one too', async () => {
  const { onClose, user, field } = open();
  await user.type(field, 'er');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(onClose).not.toHaveBeenCalled();
  expect(screen.getByRole('alert').textContent).toContain('not saved');
  // Who goes on is asked anew, and who changed it back has nothing to lose.
  await user.type(field, '!');
  expect(screen.queryByRole('alert')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  expect(onClose).toHaveBeenCalledOnce();
  await user.clear(field);
  await user.type(field, 'old');
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(onClose).toHaveBeenCalledTimes(2);
});

test('a form with sections is a panel at the side, with each name once; one without is a dialog', () => {
  const text = (name: string, section?: string) =>
    ({ name, label: name, type: 'text', ...(section === undefined ? {} : { section }) }) as const;
  const form = {
    title: 'New pool',
    submitLabel: 'Create',
    initial: { a: '', b: '', c: '' },
    submit: async () => undefined,
  };
  const { rerender } = render(
    <FormDialog
      form={{ ...form, fields: [text('a'), text('b', 'Data'), text('c', 'Data')] }}
      onClose={() => undefined}
    />,
  );
  const panel = screen.getByRole('dialog', { name: 'New pool' });
  expect(panel.classList.contains('dialog-panel')).toBe(true);
  expect(screen.getAllByRole('heading').map(({ textContent }) => textContent)).toEqual(['New pool', 'Data']);
  const section = screen.getByRole('heading', { name: 'Data' }).parentElement;
  expect(section?.contains(screen.getByLabelText('c'))).toBe(true);
  expect(section?.contains(screen.getByLabelText('a'))).toBe(false);
  rerender(<FormDialog form={{ ...form, fields: [text('a')] }} onClose={() => undefined} />);
  expect(panel.classList.contains('dialog-panel')).toBe(false);
});
