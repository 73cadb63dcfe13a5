import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { giveElementsASize } from '../../support/drawn.tsx';
import { connection, Refused } from '../../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../../support/window.tsx';
import { copy, page } from '../rows.ts';

giveElementsASize();
windowTests();

const rights = ['repository.read', 'repository.copy', 'repository.move', 'pools.read', 'task_queue.read'];
let made = 0;

const pools = [
  {
    id: 2,
    pool_name: 'Second \u202E',
    pool_type: 'File system',
    media_server: 'here',
    free_space: 1024 ** 3,
  },
  { id: 3, pool_name: 'Sky', pool_type: 'Cloud', media_server: 'here', free_space: 0 },
];
const copies = [
  copy(1),
  copy(2),
  copy(3, { backup_type: 'incremental', reference_id: 1, chain_id: 1 }),
  copy(4, { status: 'Broken' }),
];

async function openCopies(
  answers: Parameters<typeof openWindow>[0] = {},
  permissions: readonly string[] = rights,
) {
  made += 1;
  const one = connection({ id: `transfer-${made}` }, { permissions: [...permissions] });
  const view = await openWindow({
    'connections.list': () => [one],
    'repository.list': page(...copies),
    'taskQueue.list': page(),
    'pools.list': page(),
    'clients.list': page(),
    'pools.destinationAvailable': () => pools,
    'repository.dependencies': () => [{ id: 1, dependencies: [3] }],
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: 'Copies' }));
  return view;
}

const row = (id: number) =>
  screen.findByRole('row', { name: new RegExp(`/srv/data-${id}`) }, { timeout: 10_000 });
const action = (name: string) =>
  within(screen.getByRole('toolbar', { name: 'Copy actions' })).getByRole('button', { name });

async function ask(name: 'Copy to…' | 'Move to…', ids: readonly number[], answers = {}) {
  const view = await openCopies(answers);
  await view.user.keyboard('{Control>}');
  for (const id of ids) await view.user.click(await row(id));
  await view.user.keyboard('{/Control}');
  await view.user.click(action(name));
  const title = name === 'Copy to…' ? 'Copy to another pool' : 'Move to another pool';
  const question = within(await dialog(title));
  const field = await question.findByLabelText('Target pool');
  return { ...view, question, field };
}

test('each copy says what becomes of it or why it stays, and what can go goes to the chosen pool', async () => {
  const { user, callsOf, question, field } = await ask('Copy to…', [1, 3, 4], {
    'repository.copy': (input: unknown) => ({
      task_id: (input as { params: { id: number } }).params.id + 50,
    }),
  });
  const start = question.getByRole('button', { name: 'Start copying' });
  expect(start.getAttribute('title')).toBe('Choose the target pool');
  expect(
    within(field).getByRole('option', { name: 'Second \\u202e (File system, 1.00 GiB free)' }),
  ).toBeTruthy();
  await user.selectOptions(field, 'Second \u202E');
  const lines = within(question.getByRole('list', { name: 'Copies to copy' })).getAllByRole('listitem');
  const textOf = (id: number) => lines.find((line) => line.textContent?.includes(`copy ${id}2`))?.textContent;
  expect(textOf(1)).toContain(
    'A new copy of 2.00 KiB comes into Second \\u202e; this one stays. 1 copy that builds on it stays with this one.',
  );
  expect(textOf(3)).toContain(
    'It stays: it is incremental. Only full copies can be brought elsewhere; that of its chain is copy 1.',
  );
  expect(textOf(4)).toContain('A verification found damage in it.');
  expect(
    question.getByText('2 copies (4.00 KiB) are copied to Second \\u202e. 1 more stays as it is.'),
  ).toBeTruthy();
  await user.click(start);
  expect(await screen.findByText('2 copies are being copied to Second \\u202e.')).toBeTruthy();
  const sent = callsOf('repository.copy') as { params: { id: number }; query: unknown }[];
  expect(sent.map(({ params }) => params.id).sort()).toEqual([1, 4]);
  expect(sent[0]?.query).toEqual({ pool_name: 'Second \u202E' });
  expect(screen.queryByRole('dialog')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Show tasks' }));
  await waitFor(() =>
    expect(callsOf('taskQueue.list').at(-1)).toMatchObject({ query: { task_type: 'copy' } }),
  );
});

test('a move leaves out what others build on', async () => {
  const { user, callsOf, question, field } = await ask('Move to…', [1, 2], {
    'repository.move': () => ({ task_id: 9 }),
  });
  expect(question.getByText(/1 copy builds on it. It can be copied, but not moved./)).toBeTruthy();
  await user.selectOptions(field, 'Second \u202E');
  expect(question.getByText(/keeps its number and leaves Default/)).toBeTruthy();
  await user.click(question.getByRole('button', { name: 'Start moving' }));
  await waitFor(() => expect(callsOf('repository.move')).toHaveLength(1));
  expect(callsOf('repository.move')).toMatchObject([{ params: { id: 2 } }]);
  expect(await screen.findByRole('button', { name: 'Show task' })).toBeTruthy();
});

test('a refusal stands at its field and its copy; what has begun is not begun again', async () => {
  let tries = 0;
  const reason = 'is of type Cloud, which this server cannot write yet; choose a pool of type File system';
  const { user, callsOf, question, field } = await ask('Copy to…', [1, 2], {
    'repository.copy': (input: unknown) => {
      tries += 1;
      if ((input as { params: { id: number } }).params.id === 1 || tries > 2) return { task_id: 50 + tries };
      throw new Refused({ message: `pool_name ${reason}.`, status: 422, errors: { pool_name: reason } });
    },
  });
  await user.selectOptions(field, 'Sky');
  await user.click(question.getByRole('button', { name: 'Start copying' }));
  expect((await question.findByRole('alert')).textContent).toContain('1 copy was refused');
  expect(field.getAttribute('aria-invalid')).toBe('true');
  expect(question.getAllByText(new RegExp(`Target pool ${reason}`))).toHaveLength(2);
  expect(question.getByText(/It is on its way \(task 5[12]\)/)).toBeTruthy();
  await user.selectOptions(field, 'Second \u202E');
  expect(field.getAttribute('aria-invalid')).toBe('false');
  await user.click(question.getByRole('button', { name: 'Start copying' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const ids = callsOf('repository.copy').map((input) => (input as { params: { id: number } }).params.id);
  expect(ids.filter((id) => id === 1)).toHaveLength(1);
  expect(ids.at(-1)).toBe(2);
});

test.each([[[2, 4]], [[2]]])(
  'what the server says of %j after the dialog was closed is told by notices and closes no other dialog',
  async (ids) => {
    let answer: (value: { task_id: number }) => void = () => undefined;
    const { user, callsOf, question, field } = await ask('Move to…', ids, {
      'repository.move': (input: unknown) => {
        if ((input as { params: { id: number } }).params.id === 4) {
          const reason = 'is used by task 7; wait for its end';
          throw new Refused({ message: `id ${reason}.`, status: 400, errors: { id: reason } });
        }
        return new Promise((done) => {
          answer = done;
        });
      },
    });
    await user.selectOptions(field, 'Second \u202E');
    await user.click(question.getByRole('button', { name: 'Start moving' }));
    await waitFor(() => expect(callsOf('repository.move').length).toBeGreaterThan(0));
    await user.click(question.getByRole('button', { name: 'Cancel' }));
    await user.click(action('Copy to…'));
    await waitFor(() =>
      expect(
        callsOf('repository.move').some((input) => (input as { params: { id: number } }).params.id === 2),
      ).toBe(true),
    );
    answer({ task_id: 9 });
    expect(await screen.findByText('1 copy is being moved to Second \\u202e.')).toBeTruthy();
    if (ids.includes(4)) {
      expect(
        await screen.findByText('1 copy was refused. Copy 4 is used by task 7; wait for its end.'),
      ).toBeTruthy();
    }
    expect(await dialog('Copy to another pool')).toBeTruthy();
  },
);

test('where the copies can go is asked again after a failure, and nothing starts before', async () => {
  let isAway = true;
  const { user } = await openCopies({
    'pools.destinationAvailable': () => {
      if (isAway) throw new Refused({ message: 'The server is away.' });
      return [pools[0]];
    },
    'repository.move': () => ({ task_id: 9 }),
  });
  await user.click(await row(2));
  await user.click(action('Move to…'));
  const question = within(await dialog('Move to another pool'));
  expect(await question.findByText(/so nothing is started. The server is away./)).toBeTruthy();
  const start = question.getByRole('button', { name: 'Start moving' });
  expect(start.getAttribute('aria-disabled')).toBe('true');
  isAway = false;
  await user.click(question.getByRole('button', { name: 'Retry' }));
  // The only pool is chosen already.
  await waitFor(() => expect(start.getAttribute('aria-disabled')).toBe('false'));
});

test('what the rights or the copy forbid is disabled and says why, in the toolbar and in the menu of the row', async () => {
  const { user } = await openCopies({}, ['repository.read', 'repository.copy', 'pools.read']);
  const one = await row(3);
  expect(action('Copy to…').getAttribute('title')).toBe('Select a copy first');
  await user.click(one);
  expect(action('Copy to…').getAttribute('title')).toContain('Only full copies');
  expect(action('Move to…').getAttribute('title')).toContain('repository.move');
  await user.click(await row(1));
  expect(action('Copy to…').getAttribute('aria-disabled')).toBe('false');
  await user.pointer({ keys: '[MouseRight]', target: await row(1) });
  const menu = within(await screen.findByRole('menu'));
  expect(menu.getByRole('menuitem', { name: 'Move to…' }).getAttribute('aria-disabled')).toBe('true');
  await user.click(menu.getByRole('menuitem', { name: 'Copy to…' }));
  expect(await dialog('Copy to another pool')).toBeTruthy();
});
