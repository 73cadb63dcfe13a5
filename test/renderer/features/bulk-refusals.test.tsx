import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { permissionsOf } from '../../../contract/permissions.ts';
import { rowsOf } from '../../backend/features/rows.ts';
import { startTestApp, type TestApp } from '../../support/backend.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection } from '../support/fake-bridge.ts';
import { answersOf } from '../support/real-server.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

let app: TestApp;
let rows: ReturnType<typeof rowsOf>;
let made = 0;
beforeEach(async () => {
  app = await startTestApp();
  rows = rowsOf(app.database.db);
  // Tasks belong to the first one; no queue is at work here.
  await rows.mediaServer('here');
});
afterEach(() => app.close());

async function openSection(section: string) {
  made += 1;
  const session = await app.loginAs('superuser');
  const one = connection(
    { id: `bulk-${made}` },
    { permissions: [...permissionsOf(['superuser'])], extensions: ['users', 'clients_unauthorized'] },
  );
  const view = await openWindow({ ...answersOf(app, session), 'connections.list': () => [one] });
  await view.user.click(screen.getByRole('link', { name: section }));
  return view;
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => at);
const action = (toolbar: string, name: string) =>
  within(screen.getByRole('toolbar', { name: toolbar })).getByRole('button', { name });

/** Everything in the list of the section. */
async function selectAll(user: Awaited<ReturnType<typeof openSection>>['user'], grid: string, count: number) {
  const rowsOfGrid = () => within(screen.getByRole('grid', { name: grid })).getAllByRole('row');
  await screen.findByRole('grid', { name: grid });
  await waitFor(() => expect(rowsOfGrid()).toHaveLength(count + 1));
  await user.click(rowsOfGrid()[1] as HTMLElement);
  await user.keyboard('{Control>}a{/Control}');
  expect(await screen.findByText(`${count} rows, ${count} selected`)).toBeTruthy();
}

/** Presses what deletes, and reads what the dialog then says of each that stayed. */
async function deleteInDialog(user: Awaited<ReturnType<typeof openSection>>['user'], title: string) {
  const question = within(await dialog(title));
  const button = question.getByRole('button', { name: 'Delete' });
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('false'));
  await user.click(button);
  await question.findByRole('heading', { name: 'What stays, and why' });
  return question;
}

// A server of its own for each test, and a window: both take their time on a busy machine.
const patience = { timeout: 90_000 };

describe(
  'where a real server refuses three of ten, the seven others are done and the three say why (case 50)',
  patience,
  () => {
    test('deleting tasks', async () => {
      const tasks: number[] = [];
      for (const _ of ids(10)) tasks.push(await rows.task({ status: 'done' }));
      const { user } = await openSection('Tasks');
      await selectAll(user, 'Tasks', 10);
      // They are restarted by somebody else while the question is read.
      await user.click(action('Task actions', 'Delete'));
      const running = tasks.slice(3, 6);
      await app.database.db
        .updateTable('tasks')
        .set({ status: 'transmission' })
        .where('id', 'in', running)
        .execute();
      const question = await deleteInDialog(user, 'Delete tasks');
      expect(question.getByText('7 of 10 removed')).toBeTruthy();
      for (const id of running) {
        expect(question.getByText(new RegExp(`^Task ${id}: .*task ${id} .*transmission`))).toBeTruthy();
      }
      await user.click(question.getByRole('button', { name: 'Cancel' }));
      expect(await screen.findByText('3 rows, 3 selected')).toBeTruthy();
    });

    test('restarting tasks', async () => {
      const tasks: number[] = [];
      for (const _ of ids(10)) tasks.push(await rows.task({ status: 'error' }));
      const { user } = await openSection('Tasks');
      await selectAll(user, 'Tasks', 10);
      const gone = tasks.slice(0, 3);
      await app.database.db.deleteFrom('tasks').where('id', 'in', gone).execute();
      await user.click(action('Task actions', 'Restart'));
      const told = (await screen.findByText(/^3 of 10 not restarted/)).textContent;
      for (const id of gone) expect(told).toContain(`task ${id}: `);
      const left = await app.database.db.selectFrom('tasks').select('status').execute();
      expect(left.map(({ status }) => status)).not.toContain('error');
      expect(left).toHaveLength(7);
    });

    test('deleting copies, each with the chain that it is of', async () => {
      const copies: number[] = [];
      for (const _ of ids(9)) copies.push(await rows.copy({}));
      const [base = 0] = copies;
      const builds = { backup_type: 'incremental', reference_id: base, chain_id: base } as const;
      copies.push(await rows.copy({}, builds));
      const used = copies.slice(4, 7);
      for (const copyId of used) await rows.task({ status: 'transmission', copyId });
      const { user } = await openSection('Copies');
      await selectAll(user, 'Copies', 10);
      await user.click(action('Copy actions', 'Delete…'));
      const asked = within(await dialog('Delete copies'));
      await user.click(await asked.findByRole('checkbox', { name: /nothing of/ }));
      const question = await deleteInDialog(user, 'Delete copies');
      expect(question.getByText(/7 of 10 removed/)).toBeTruthy();
      for (const id of used) {
        expect(question.getByText(new RegExp(`copy ${id} is used by the active task`))).toBeTruthy();
      }
      const again = question.getByRole('button', { name: 'Delete' });
      expect(again.getAttribute('title')).toContain('Close this');
      await user.click(question.getByRole('button', { name: 'Close' }));
      expect(await screen.findByText('3 rows, 3 selected')).toBeTruthy();
    });

    test('deleting clients that wait', async () => {
      const session = await app.loginAs('superuser');
      const group = (await session.send('POST', '/client_groups', { name: 'Offices' })).data<{
        id: number;
      }>();
      const clients: number[] = [];
      for (const at of ids(10)) {
        clients.push(await rows.client({ hostname: `wait-${at}`, authorized: false, groupId: group.id }));
      }
      for (const clientId of clients.slice(7)) await rows.task({ status: 'transmission', clientId });
      const { user } = await openSection('Clients');
      await user.click(await screen.findByRole('tab', { name: /^Waiting/ }));
      await selectAll(user, 'Waiting clients', 10);
      await user.click(action('Waiting client actions', 'Delete…'));
      const question = await deleteInDialog(user, 'Delete clients');
      expect(question.getByText('7 of 10 removed')).toBeTruthy();
      for (const at of [7, 8, 9]) {
        expect(
          question.getByText(new RegExp(`^wait-${at} .*has 1 active task; wait for their end`)),
        ).toBeTruthy();
      }
      await user.click(question.getByRole('button', { name: 'Cancel' }));
      expect(await screen.findByText('3 rows, 3 selected')).toBeTruthy();
    });
  },
);
