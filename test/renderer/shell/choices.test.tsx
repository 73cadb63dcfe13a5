import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import {
  clientChoices,
  clientGroupChoices,
  mediaServerChoices,
  type Offer,
  orNone,
  poolChoices,
  strategyChoices,
  withOwn,
} from '../../../renderer/shell/choices.ts';
import { openDialog, shell } from '../../../renderer/shell/shell-store.ts';
import { page, pool } from '../features/rows.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, installBridge, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

interface Asked {
  readonly query: { readonly page: number; readonly limit: number; readonly search?: string };
}

const many = 1200;

/** A list as a server answers it: its page, of what has the text in its name. */
function listOf<R>(names: readonly string[], record: (name: string, id: number) => R) {
  return (input: unknown) => {
    const { page: at, limit, search = '' } = (input as Asked).query;
    const found = names.filter((name) => name.toLowerCase().includes(search.toLowerCase()));
    return { items: found.slice((at - 1) * limit, at * limit).map(record), total: found.length };
  };
}

const named = (stem: string, count = many) => Array.from({ length: count }, (_, at) => `${stem}-${at + 1}`);

async function found(offer: Offer | null, text: string) {
  return offer?.search?.find(text, new AbortController().signal);
}

describe('what a field offers', () => {
  test.each([
    ['clients', 'clients.list', 'client_name', clientChoices],
    ['pools', 'pools.list', 'pool_name', poolChoices],
    ['media servers', 'mediaServers.list', 'name', mediaServerChoices],
    ['groups of clients', 'clientGroups.list', 'name', clientGroupChoices],
    ['strategies', 'strategies.list', 'name', strategyChoices],
  ] as const)('of more %s than are listed, each is found on the server', async (_, endpoint, field, ask) => {
    installBridge({ [endpoint]: listOf(named('thing'), (name, id) => ({ id, [field]: name })) });
    shell.setState({ connections: [connection({}, { extensions: ['client_groups'] })] });
    const offer = await ask('prague');
    expect(offer?.choices).toHaveLength(500);
    expect(offer?.search?.total).toBe(many);
    expect(await found(offer, 'thing-1199')).toEqual({
      choices: [{ value: 'thing-1199', label: 'thing-1199' }],
      total: 1,
    });
  });

  test('is all of it where all are listed: nothing has to be searched', async () => {
    installBridge({ 'clients.list': page({ client_name: 'only' }) });
    expect(await clientChoices('prague')).toEqual({ choices: [{ value: 'only', label: 'only' }] });
  });

  test('of pools of one type is asked for by the type', async () => {
    const { callsOf } = installBridge({
      'pools.list': page(pool(1), pool(2, { pool_type: 'Tape library' })),
    });
    const offer = await poolChoices('prague', 'File system');
    expect(offer.choices.map(({ value }) => value)).toEqual(['pool-1']);
    expect(callsOf('pools.list')).toMatchObject([{ query: { pool_type: 'File system' } }]);
  });

  test('has the choice of none in every search, and the object that is set now', async () => {
    installBridge({ 'clients.list': listOf(named('host'), (client_name) => ({ client_name })) });
    const offer = withOwn(orNone(await clientChoices('prague'), 'No client'), 'host-900');
    expect(offer.choices.slice(0, 2).map(({ label }) => label)).toEqual(['host-900', 'No client']);
    expect(await found(offer, 'host-1177')).toMatchObject({
      choices: [{ value: '' }, { value: 'host-1177' }],
    });
  });

  test('says why a search failed', async () => {
    let isDown = false;
    installBridge({
      'clients.list': (input) => {
        if (isDown) throw new Refused({ message: 'No answer.' });
        return listOf(named('host'), (client_name) => ({ client_name }))(input);
      },
    });
    const offer = await clientChoices('prague');
    isDown = true;
    expect(await found(offer, 'host')).toEqual({ problem: 'No answer.' });
  });
});

describe('a field whose choices are too many to be listed', () => {
  async function openBackup() {
    let isDown = false;
    const view = await openWindow({
      'connections.list': () => [connection({}, { permissions: ['task_queue.write'] })],
      'clients.list': (input) => {
        if (isDown) throw new Refused({ message: 'No answer.' });
        return listOf(named('host'), (client_name, id) => ({
          ...{ id, client_name },
          modules: client_name === 'host-1199' ? ['MySQL'] : ['File system'],
        }))(input);
      },
      'pools.list': listOf(named('store'), (pool_name, id) => pool(id, { pool_name })),
      'taskQueue.extension': () => ({ crypto: { values: ['nocrypt'] } }),
      'taskQueue.create': () => ({ id: 9 }),
    });
    act(() => openDialog({ kind: 'newBackup', connectionId: 'prague' }));
    const form = within(await dialog('New backup'));
    await form.findByRole('option', { name: 'host-500' });
    const [ofClients, ofPools] = form.getAllByRole('searchbox', { name: 'Find by name' });
    return {
      ...view,
      form,
      ofClients: ofClients as HTMLElement,
      ofPools: ofPools as HTMLElement,
      client: () => form.getByRole('combobox', { name: 'Client' }),
      breakDown: () => {
        isDown = true;
      },
    };
  }

  test('searches the server as one types; Enter takes the first, and what was chosen stays', async () => {
    const { user, form, ofClients, ofPools, client, callsOf } = await openBackup();
    expect(form.getAllByText('The first 500 of 1,200 are listed; type to find another.')).toHaveLength(2);
    await user.type(ofClients, 'host-119');
    expect(await form.findByText('11 found')).toBeTruthy();
    expect(client()).toHaveProperty('value', 'host-1');
    await user.selectOptions(client(), 'host-1198');
    await user.clear(ofClients);
    await form.findByText('The first 500 of 1,200 are listed; type to find another.', {
      selector: `#${ofClients.getAttribute('aria-describedby')?.replaceAll(':', '\\:')}`,
    });
    expect(client()).toHaveProperty('value', 'host-1198');
    await user.type(ofClients, 'HOST-1199');
    await form.findByText('1 found');
    await user.keyboard('{Enter}');
    expect(callsOf('taskQueue.create')).toEqual([]);
    expect(client()).toHaveProperty('value', 'host-1199');
    // A client beyond the first page can back up other things than the first.
    expect(form.getByRole('combobox', { name: 'Resource type' })).toHaveProperty('value', 'MySQL');
    await user.type(ofPools, 'store-700');
    await waitFor(() => expect(form.getByRole('option', { name: 'store-700' })).toBeTruthy());
    await user.selectOptions(form.getByRole('combobox', { name: 'Pool' }), 'store-700');
    await user.type(form.getByRole('textbox', { name: 'Folder' }), 'shop');
    await user.click(form.getByRole('button', { name: 'Start backup' }));
    await waitFor(() =>
      expect(callsOf('taskQueue.create')).toMatchObject([
        { body: { task: { client: 'host-1199', pool: 'store-700' } } },
      ]),
    );
  });

  test('asks once for what was typed in one go', async () => {
    const { user, form, ofClients, callsOf } = await openBackup();
    await user.type(ofClients, 'host-44');
    await form.findByText('11 found');
    const searches = callsOf('clients.list').map((input) => (input as Asked).query.search);
    expect(searches.at(-1)).toBe('host-44');
    expect(searches.length).toBeLessThan(8);
  });

  test('says that nothing has the name, and what went wrong; Escape empties the search, not the dialog', async () => {
    const { user, form, ofClients, client, breakDown } = await openBackup();
    await user.type(ofClients, 'zebra');
    expect(await form.findByText('Nothing is called “zebra”.')).toBeTruthy();
    await user.keyboard('{Enter}');
    expect(client()).toHaveProperty('value', 'host-1');
    await user.keyboard('{Escape}');
    expect(ofClients).toHaveProperty('value', '');
    breakDown();
    await user.type(ofClients, 'host');
    expect(await form.findByText('The search failed: No answer.')).toBeTruthy();
    await user.keyboard('{Escape}{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});
