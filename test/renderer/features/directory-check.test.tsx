import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { page } from './rows.ts';

windowTests();

let made = 0;
async function openForm(answers: Parameters<typeof openWindow>[0], extensions = ['ldap_check']) {
  made += 1;
  const rights = ['ldap.read', 'ldap.write'];
  const one = connection({ id: `directory-${made}` }, { permissions: rights, extensions });
  const view = await openWindow({
    'connections.list': () => [one],
    'taskQueue.list': page(),
    'directoryMappings.list': page(),
    'directory.get': () => {
      throw new Refused({ message: 'None.', status: 404 });
    },
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: 'Directory' }));
  await view.user.click(await screen.findByRole('button', { name: 'Set connection…' }));
  const form = within(await dialog('Directory connection'));
  await view.user.type(form.getByLabelText('Address'), 'dc1.example.org');
  return { ...view, form };
}

const step = (name: string, outcome: string, more: object = {}) => ({
  step: name,
  outcome,
  reason: null,
  found: null,
  ...more,
});

test('the settings in the form are tried without saving, each step with what it found or why it failed', async () => {
  const reason = 'there is no group below\u202E here';
  const { user, form, callsOf } = await openForm({
    'directory.check': () => ({
      works: false,
      steps: [
        step('connect', 'ok'),
        step('users', 'ok', { found: 200 }),
        step('groups', 'failed', { reason }),
        step('a later one', 'not_tried'),
      ],
    }),
  });
  await user.click(form.getByRole('button', { name: 'Test these settings' }));
  const outcome = await form.findByRole('status');
  await waitFor(() => expect(outcome.textContent).toContain('do not work yet'));
  const lines = within(outcome)
    .getAllByRole('listitem')
    .map((line) => line.textContent ?? '');
  expect(lines[0]).toMatch(/Connection to the controller.*works/);
  expect(lines[1]).toContain('200 or more found');
  expect(lines[2]).toContain('there is no group below');
  expect(lines[2]).not.toContain('\u202E');
  expect(lines[3]).toMatch(/a later one.*not tried/);
  expect(callsOf('directory.check')).toMatchObject([{ body: { address: 'dc1.example.org', port: 636 } }]);
  expect(callsOf('directory.set')).toEqual([]);
  await user.type(form.getByLabelText('Address'), '.x');
  expect(outcome.textContent).toContain('Settings have been changed since this test.');
});

test('what cannot be tried is marked at its field', async () => {
  const { user, form } = await openForm({
    'directory.check': () => {
      throw new Refused({
        message: 'password is required',
        status: 400,
        errors: { password: 'is required' },
      });
    },
  });
  await user.click(form.getByRole('button', { name: 'Test these settings' }));
  await waitFor(() => expect(form.getByLabelText('Password').getAttribute('aria-invalid')).toBe('true'));
});

test('a failure of the try itself is an alert', async () => {
  const { user, form } = await openForm({
    'directory.check': () => {
      throw new Refused({ message: 'The server is busy.' });
    },
  });
  await user.click(form.getByRole('button', { name: 'Test these settings' }));
  expect((await form.findByRole('alert')).textContent).toBe('The server is busy.');
});

test('a server that cannot try settings has no such button', async () => {
  const { form } = await openForm({}, []);
  expect(form.queryByRole('button', { name: 'Test these settings' })).toBeNull();
});
