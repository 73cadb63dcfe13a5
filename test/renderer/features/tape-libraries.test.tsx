import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { CartridgeScan, LibraryElementRecord } from '../../../contract/cartridges/cartridge.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { copy, page, task } from './rows.ts';
import { cartridge, element, library } from './tape-rows.ts';

giveElementsASize();
windowTests();

const all = ['read', 'write', 'delete', 'run'].map((right) => `tape_libraries.${right}`);
const places = (): readonly LibraryElementRecord[] => [
  element('robot', 1),
  element('drive', 1),
  element('mail', 1, 'NEW001L8'),
  element('storage', 1, 'SR0001L8', { cartridge: 1 }),
  element('storage', 2, 'SR0002L8', { cartridge: 2 }),
  element('storage', 3),
];
const blank: CartridgeScan = {
  state: 'unlabelled',
  label: null,
  parts: [],
  copies_found: [],
  copies_incomplete: 0,
  cartridges_missing: [],
  problems: [],
};
// The screen is loaded when it is first opened.
const patience = { timeout: 10_000 };
let made = 0;

async function openBoard(
  answers: Parameters<typeof openWindow>[0] = {},
  permissions = all,
  extensions: readonly string[] = ['cartridges'],
) {
  made += 1;
  const one = connection({ id: `tapes-${made}` }, { permissions, extensions: [...extensions] });
  const own = library();
  const view = await openWindow({
    'connections.list': () => [one],
    'tapeLibraries.list': page(own),
    'tapeLibraries.get': () => own,
    'tapeLibraries.tree': () => ({
      libraries: [{ library: own, medium_changers: [], tape_drives: [], slots: [] }],
      pools: { items: [], total: 0, page: 1, limit: 20 },
    }),
    'cartridges.list': page(cartridge(1), cartridge(2, { state: 'foreign' })),
    'cartridges.slots': places,
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: 'Tape libraries' }));
  await view.user.click(await screen.findByRole('tab', { name: 'Slot board' }, patience));
  await screen.findByRole('grid', { name: 'Slots' });
  const place = (name: string) => screen.getByRole('gridcell', { name: new RegExp(`^${name}\\b`) });
  const press = (name: string, key: string) => {
    const cell = place(name);
    cell.focus();
    fireEvent.keyDown(cell, { key });
  };
  return { ...view, place, press, connectionId: one.id };
}

describe('the slot board', () => {
  test('has a grid for drives, import/export and slots, each place with its cartridge', async () => {
    const { place } = await openBoard();
    for (const name of ['Drives', 'Import/export', 'Slots'])
      expect(screen.getByRole('grid', { name })).toBeTruthy();
    expect(place('Slot 1').textContent).toContain('SR0001L8');
    expect(within(place('Slot 2')).getByText('foreign')).toBeTruthy();
    expect(within(place('Import/export 1')).getByText('not registered')).toBeTruthy();
    expect(within(place('Drive 1')).getByText('empty')).toBeTruthy();
  });

  test('lets the robot take cartridges out of the drives by itself, where the server knows of it (case 114)', async () => {
    const { callsOf, user } = await openBoard({}, all, ['cartridges', 'robot_unloads']);
    expect(screen.getByText('the drive ejects the cartridge')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Let the robot unload' }));
    expect(callsOf('tapeLibraries.update')).toEqual([{ params: { id: 1 }, body: { robot_unloads: true } }]);
  });

  test('moves by keyboard, and asks the robot once', async () => {
    const { callsOf, press } = await openBoard();
    press('Slot 1', 'm');
    expect(screen.getByText(/SR0001L8 is picked up from Slot 1/)).toBeTruthy();
    press('Slot 1', 'ArrowRight');
    expect(document.activeElement?.textContent).toContain('Slot 3');
    press('Slot 3', 'Enter');
    expect(await screen.findByText('SR0001L8 is in Slot 3.')).toBeTruthy();
    expect(callsOf('cartridges.move')).toEqual([{ params: { id: 1 }, body: { from: 1001, to: 1003 } }]);
  });

  test('says why a place takes nothing, and moves nothing', async () => {
    const { callsOf, press } = await openBoard();
    press('Slot 3', 'm');
    expect(screen.getByRole('alert').textContent).toBe('Slot 3 is empty; there is nothing to pick up.');
    press('Slot 1', ' ');
    press('Slot 2', 'Enter');
    expect(screen.getByText('Slot 2 is full; choose a free place.')).toBeTruthy();
    press('Slot 2', 'Escape');
    expect(screen.getByText('SR0001L8 stays in Slot 1.')).toBeTruthy();
    expect(callsOf('cartridges.move')).toEqual([]);
  });

  test('tells what the server said of a move that failed', async () => {
    const { press, user } = await openBoard({
      'cartridges.move': () => {
        throw new Refused({ message: 'The robot is stuck.' });
      },
    });
    press('Slot 1', 'm');
    press('Slot 3', 'Enter');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('SR0001L8 was not moved. The robot is stuck.');
    await user.click(within(alert).getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByRole('alert')).toBeNull();
  });

  test('shows that the robot moves, and takes no second move meanwhile', async () => {
    let finish: (value: unknown) => void = () => undefined;
    const { press, callsOf } = await openBoard({
      'cartridges.move': () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    });
    press('Slot 1', 'm');
    press('Slot 3', 'Enter');
    expect(await screen.findByRole('progressbar', { name: 'The robot moves a cartridge' })).toBeTruthy();
    press('Slot 2', 'm');
    expect(screen.getByText('The robot is moving a cartridge; wait for the end.')).toBeTruthy();
    finish(null);
    await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull());
    expect(callsOf('cartridges.move')).toHaveLength(1);
  });

  test('moves nothing for an account without the right', async () => {
    const { press, callsOf } = await openBoard({}, ['tape_libraries.read']);
    press('Slot 1', 'm');
    expect(screen.getByText(/no right to do this \(tape_libraries.run\)/)).toBeTruthy();
    expect(callsOf('cartridges.move')).toEqual([]);
  });

  test('says why the robot cannot be asked', async () => {
    made += 1;
    const { user } = await openWindow({
      'connections.list': () => [
        connection({ id: `tapes-${made}` }, { permissions: all, extensions: ['cartridges'] }),
      ],
      'tapeLibraries.list': page(library()),
      'tapeLibraries.tree': () => ({
        libraries: [{ library: library(), medium_changers: [], tape_drives: [], slots: [] }],
        pools: { items: [], total: 0, page: 1, limit: 20 },
      }),
      'cartridges.list': page(),
      'tapeLibraries.get': () => library(),
      'cartridges.slots': () => {
        throw new Refused({ message: 'The door is open.' });
      },
    });
    await user.click(screen.getByRole('link', { name: 'Tape libraries' }));
    await user.click(await screen.findByRole('tab', { name: 'Slot board' }, patience));
    expect(await screen.findByText('The door is open.')).toBeTruthy();
  });
});

test('the board follows what a task moves, as the server tells of it', async () => {
  let isInDrive = false;
  const { place, tell, connectionId } = await openBoard({
    'cartridges.slots': () =>
      isInDrive
        ? [element('drive', 1, 'SR0001L8', { cartridge: 1 }), element('storage', 1), element('storage', 2)]
        : [element('drive', 1), element('storage', 1, 'SR0001L8', { cartridge: 1 }), element('storage', 2)],
  });
  const told = () =>
    act(() =>
      tell('server.event', {
        connectionId,
        kind: 'library',
        event: { action: 'changed', id: 1, record: null },
      }),
    );
  expect(place('Slot 1').textContent).toContain('SR0001L8');
  isInDrive = true;
  told();
  await waitFor(() => expect(place('Drive 1').textContent).toContain('SR0001L8'));
  expect(within(place('Slot 1')).getByText('empty')).toBeTruthy();
  isInDrive = false;
  told();
  await waitFor(() => expect(place('Slot 1').textContent).toContain('SR0001L8'));
  expect(within(place('Drive 1')).getByText('empty')).toBeTruthy();
});

test('a refused synchronisation offers to register what is in the way (case 132)', async () => {
  let isRegistered = false;
  const { user, callsOf } = await openBoard({
    'tapeLibraries.sync': () => {
      if (isRegistered) return { slots_total: 3, cartridges: 3 };
      throw new Refused({ message: 'Not registered: NEW001L8 (mail slot 1).', status: 422 });
    },
    'cartridges.create': () => {
      isRegistered = true;
      return { id: 3 };
    },
  });
  await user.click(screen.getByRole('button', { name: 'Sync' }));
  const asked = within(await dialog('Register cartridges'));
  expect(asked.getByRole('checkbox', { name: 'NEW001L8 in Import/export 1' })).toBeTruthy();
  await user.click(asked.getByRole('button', { name: 'Register 1 cartridge' }));
  expect(await screen.findByText('TAPE-LIBRARY: 3 cartridges in 3 slots.')).toBeTruthy();
  expect(callsOf('cartridges.create')).toEqual([{ body: { tape_library: 1, barcode: 'NEW001L8' } }]);
});

test('a task that waits for a cartridge stands above the board, with its pick list', async () => {
  const waiting = task(5, {
    task_type: 'restore',
    status: 'suspended',
    suspend_reason: 'resource',
    pool: 'Tapes',
    repository_id: 7,
    error_message: 'The cartridge SR0009L8 is not in the library of pool Tapes.',
  });
  const away = cartridge(9, { location: 'outside', element_address: null });
  const { user } = await openBoard(
    {
      'taskQueue.list': page(waiting),
      'repository.get': () => copy(7, { pool: 'Tapes', pool_type: 'Tape library' }),
      'cartridges.ofCopy': () => [{ cartridge: away, parts: 1, bytes: 10 }],
    },
    [...all, 'task_queue.read', 'repository.read'],
  );
  const tasks = within(await screen.findByRole('list', { name: 'Tasks with these tapes' }));
  expect(tasks.getByText(/The cartridge SR0009L8 is not in the library/)).toBeTruthy();
  await user.click(tasks.getByRole('button', { name: 'Pick list…' }));
  const list = within(await dialog('Pick list'));
  const row = await list.findByRole('row', { name: /SR0009L8/ });
  expect(row.textContent).toContain('Off site');
  expect(list.getByText(/Import\/export has no free place/)).toBeTruthy();
});

test('a cartridge tells what it belongs to, and a foreign one what can be made of it', async () => {
  const set = ['SR0001L8', 'SR0003L8'];
  const { user, place } = await openBoard({
    'cartridges.list': page(
      cartridge(1, { media_set: set }),
      cartridge(2, { state: 'foreign' }),
      // As the main process gives what an earlier server does not tell.
      Object.assign(cartridge(4), { media_set: null }),
    ),
  });
  await user.click(place('Slot 1'));
  const details = () => within(screen.getByRole('region', { name: 'Place details' }));
  expect(details().getByText('SR0001L8, SR0003L8')).toBeTruthy();
  expect(details().queryByText(/never written over by itself/)).toBeNull();
  await user.click(details().getByRole('button', { name: 'Move off site…' }));
  expect((await dialog('Move SR0001L8 off site')).textContent).toContain(
    'move these off site too: SR0003L8.',
  );
  await user.keyboard('{Escape}');
  await user.click(place('Slot 2'));
  expect(details().getByText(/“Read…” takes over the copies/)).toBeTruthy();
  expect(details().queryByText('SR0001L8, SR0003L8')).toBeNull();
  await user.click(screen.getByRole('tab', { name: 'Cartridges' }));
  expect(await screen.findByRole('row', { name: /SR0004L8/ })).toBeTruthy();
});

test('cartridges are put into a media set that a person names, and taken out', async () => {
  const { user, place, callsOf } = await openBoard(
    {
      'cartridges.list': page(cartridge(1), cartridge(2, { media_set_name: 'Monthly' })),
      'pools.list': page({ media_set_name: 'Weekly' }, { media_set_name: null }),
      // The server knows the name in another spelling.
      'cartridges.assign': () => [cartridge(1, { media_set_name: 'Weekly' })],
    },
    all,
    ['cartridges', 'media_sets'],
  );
  await user.click(place('Slot 2'));
  expect(within(screen.getByRole('region', { name: 'Place details' })).getByText('Monthly')).toBeTruthy();
  await user.click(place('Slot 1'));
  const details = within(screen.getByRole('region', { name: 'Place details' }));
  await user.click(details.getByRole('button', { name: 'Media set…' }));
  const form = within(await dialog('Media set of SR0001L8'));
  const field = form.getByRole('combobox', { name: 'Media set' });
  await user.type(field, 'weekly');
  await user.click(form.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('SR0001L8 is in the media set Weekly.')).toBeTruthy();
  expect(callsOf('cartridges.assign')).toEqual([{ body: { ids: [1], media_set_name: 'weekly' } }]);
  await user.click(screen.getByRole('tab', { name: 'Cartridges' }));
  const row = await screen.findByRole('row', { name: /SR0002L8/ });
  expect(within(row).getByText('Monthly')).toBeTruthy();
});

test('a server without media sets offers none', async () => {
  const { user, place } = await openBoard();
  await user.click(place('Slot 1'));
  expect(screen.queryByRole('button', { name: 'Media set…' })).toBeNull();
});

describe('labelling and reading a cartridge', () => {
  const withTasks = [...all, 'task_queue.read'];
  const openCartridge = async (
    answers: Parameters<typeof openWindow>[0],
    extensions: readonly string[] = ['cartridges', 'cartridge_tasks'],
  ) => {
    const view = await openBoard(answers, withTasks, extensions);
    await view.user.click(screen.getByRole('tab', { name: 'Cartridges' }));
    await view.user.click(await screen.findByRole('row', { name: /SR0001L8/ }));
    return view;
  };

  test('is a task of the queue, with the way to it; the list is read again at its end', async () => {
    let status = 'execution';
    const { user, callsOf, tell, connectionId } = await openCartridge({
      'cartridges.labelTask': () => ({ task_id: 41 }),
      'taskQueue.list': () => ({ items: [task(41, { task_type: 'tape_label', status })], total: 1 }),
    });
    await user.click(screen.getByRole('button', { name: 'Label…' }));
    const asked = within(await dialog('Label SR0001L8'));
    await user.click(asked.getByRole('checkbox', { name: 'Overwrite what is on it' }));
    await user.click(asked.getByRole('button', { name: 'Write label' }));
    expect(await screen.findByText('Task 41 labels SR0001L8.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Show task' })).toBeTruthy();
    expect(callsOf('cartridges.labelTask')).toEqual([{ params: { id: 1 }, body: { overwrite: true } }]);
    const before = callsOf('cartridges.list').length;
    status = 'done';
    act(() =>
      tell('server.event', {
        connectionId,
        kind: 'task',
        event: { action: 'changed', id: 41, record: null },
      }),
    );
    await waitFor(() => expect(callsOf('cartridges.list').length).toBeGreaterThan(before));
    expect(callsOf('cartridges.update')).toEqual([]);
  });

  test('says in the dialog why the server refuses', async () => {
    const { user } = await openCartridge({
      'cartridges.scanTask': () => {
        throw new Refused({ message: 'SR0001L8 is outside; put it into the library.' });
      },
    });
    await user.click(screen.getByRole('button', { name: 'Read…' }));
    const asked = within(await dialog('Read SR0001L8'));
    await user.click(asked.getByRole('button', { name: 'Read cartridge' }));
    expect((await asked.findByRole('alert')).textContent).toContain('is outside; put it into the library');
  });

  test('is waited for where the server has no such tasks', async () => {
    const { user, callsOf } = await openCartridge(
      { 'cartridges.update': () => cartridge(1), 'cartridges.scan': () => blank },
      ['cartridges'],
    );
    await user.click(screen.getByRole('button', { name: 'Label…' }));
    await user.click(within(await dialog('Label SR0001L8')).getByRole('button', { name: 'Write label' }));
    expect(await screen.findByText('SR0001L8 has its label.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Read…' }));
    expect(await within(await dialog('Read SR0001L8')).findByText(/none: blank/)).toBeTruthy();
    expect([...callsOf('cartridges.labelTask'), ...callsOf('cartridges.scanTask')]).toEqual([]);
  });
});
