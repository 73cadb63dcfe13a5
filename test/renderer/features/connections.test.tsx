import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { backendState, connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

const fingerprint = Array.from({ length: 32 }, () => 'AB').join(':');
const facts = {
  fingerprint,
  subject: 'CN=prague\u202E',
  issuer: 'CN=prague',
  validFrom: '2026-01-01',
  validTo: '2027-01-01',
  reason: 'selfSigned',
};
const emptyList = () => ({ items: [], total: 0 });
const server = { 'taskQueue.list': emptyList, 'repository.list': emptyList, 'pools.list': emptyList };

describe('the first run', () => {
  test('offers this computer and a server', async () => {
    await openWindow();
    expect(screen.getByRole('heading', { name: 'Welcome to Strongroom' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Use this computer' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Connect to a server' })).toBeTruthy();
  });

  test('uses this computer and goes on to its overview', async () => {
    const local = connection({ id: 'local', name: 'This computer', kind: 'local' });
    const { user, tell, settings } = await openWindow({ ...server, 'localBackend.use': () => local });
    await user.click(screen.getByRole('button', { name: 'Use this computer' }));
    act(() => tell('connections.changed', { connections: [local] }));
    expect(await screen.findByRole('button', { name: 'This computer, connected' })).toBeTruthy();
    expect(await screen.findByRole('heading', { level: 1, name: 'Overview' })).toBeTruthy();
    expect(settings().firstRunDone).toBe(true);
  });

  test('a backend that does not start is told with its reason, its log and the ways on (case 4)', async () => {
    const { user, tell, callsOf } = await openWindow({
      'localBackend.use': () => {
        throw new Refused({ kind: 'local', message: 'It ended with 1.' });
      },
      'localBackend.logTail': () => [
        '{"time":"2030-01-15T14:02:09.000Z","level":"error","message":"no space left","code":28}',
        'bad \u001b[31m line',
      ],
    });
    await user.click(screen.getByRole('button', { name: 'Use this computer' }));
    act(() =>
      tell(
        'localBackend.state',
        backendState({ phase: 'failed', since: 1, reason: 'It ended with code 1.' }),
      ),
    );
    expect(await screen.findByText('It ended with code 1.')).toBeTruthy();
    const log = within(await screen.findByRole('log', { name: 'Last lines of its log' }));
    expect(await log.findByText(/bad \\u001b\[31m line/)).toBeTruthy();
    expect(log.getByText('no space left code=28')).toBeTruthy();
    expect(log.getByLabelText('error')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Open logs' }));
    expect(callsOf('localBackend.openLogs')).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(callsOf('localBackend.use')).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Use remote servers only' }));
    await dialog('Connect to a server');
  });

  test('a backend that fails later is told in the place of its sections (case 4)', async () => {
    const local = connection({ id: 'local', name: 'This computer', kind: 'local' }, { phase: 'stopped' });
    await openWindow({
      'connections.list': () => [local],
      'localBackend.state': () => backendState({ phase: 'failed', reason: 'The data folder is in use.' }),
    });
    expect(await screen.findByText('The data folder is in use.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Retry' })).toBeTruthy();
  });
});

async function fillIn(user: Awaited<ReturnType<typeof openWindow>>['user']) {
  const form = within(await dialog('Connect to a server'));
  await user.type(form.getByRole('textbox', { name: 'Address' }), 'prague.example.org');
  await user.clear(form.getByRole('textbox', { name: 'Database' }));
  await user.type(form.getByRole('textbox', { name: 'Database' }), 'main');
  await user.type(form.getByRole('textbox', { name: 'User name' }), 'admin');
  await user.type(form.getByLabelText('Password'), 'secret');
  return form;
}

describe('a new connection', () => {
  test('asks what a server needs, and for the domain only with a domain account', async () => {
    const { user, callsOf } = await openWindow({ 'connections.add': () => connection() });
    await user.click(screen.getByRole('button', { name: 'Connect to a server' }));
    const form = await fillIn(user);
    expect(form.queryByRole('textbox', { name: 'Domain' })).toBeNull();
    await user.click(form.getByRole('radio', { name: 'Domain account' }));
    await user.type(form.getByRole('textbox', { name: 'Domain' }), 'example.org');
    await user.click(form.getByRole('checkbox', { name: 'Remember me' }));
    await user.click(form.getByRole('button', { name: 'Connect' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(callsOf('connections.add')[0]).toMatchObject({
      address: 'prague.example.org',
      database: 'main',
      userName: 'admin',
      password: 'secret',
      authType: 'domain',
      domain: 'example.org',
      remember: false,
      trustFingerprint: null,
    });
    expect(shell.getState().place).toEqual({ connectionId: 'prague', section: 'Overview' });
  });

  test('says what stands behind the address once it was typed; another address begins anew', async () => {
    const answers = [
      { trust: 'system', reason: null, version: '2.4.1' },
      { trust: 'unknown', reason: 'selfSigned', version: null },
      { trust: 'plain', reason: null, version: null },
    ];
    const { user, callsOf } = await openWindow({
      'connections.probe': () => {
        const next = answers.shift();
        if (next === undefined)
          throw new Refused({
            message: 'The server does not answer.',
            errors: { address: 'is \u202Enot there' },
          });
        return { ...next, address: 'https://prague.example.org:5656', certificate: null };
      },
    });
    await user.click(screen.getByRole('button', { name: 'Connect to a server' }));
    const form = within(await dialog('Connect to a server'));
    const address = form.getByRole('textbox', { name: 'Address' });
    await user.click(form.getByRole('textbox', { name: 'Database' }));
    // Nothing to look at.
    expect(callsOf('connections.probe')).toEqual([]);
    await user.type(address, 'prague.example.org');
    expect(callsOf('connections.probe')).toEqual([]);
    await user.tab();
    expect((await form.findByText(/version 2\.4\.1/)).textContent).toContain(
      'authority that this computer trusts',
    );
    await user.type(address, '1');
    expect(form.queryByText(/version 2\.4\.1/)).toBeNull();
    await user.tab();
    expect((await form.findByText(/not known here/)).textContent).toBe(
      'Its certificate is not known here. It vouches for itself; no authority does. You are asked before anything is sent.',
    );
    await user.type(address, '2');
    await user.tab();
    expect(await form.findByText(/Not encrypted/)).toBeTruthy();
    await user.type(address, '3');
    await user.tab();
    expect(await form.findByText('is \\u202enot there')).toBeTruthy();
    expect(callsOf('connections.probe')).toMatchObject([
      { address: 'prague.example.org' },
      { address: 'prague.example.org1' },
      { address: 'prague.example.org12' },
      { address: 'prague.example.org123' },
    ]);
  });

  test('a look at a mute server holds up nobody and ends with the dialog (case 37)', async () => {
    const { user, callsOf } = await openWindow({
      'connections.probe': () => new Promise(() => undefined),
    });
    await user.click(screen.getByRole('button', { name: 'Connect to a server' }));
    const form = within(await dialog('Connect to a server'));
    await user.type(form.getByRole('textbox', { name: 'Address' }), 'mute.example.org');
    await user.tab();
    expect(form.getByText('Looking at the server…')).toBeTruthy();
    expect(form.getByRole('button', { name: 'Connect' }).getAttribute('aria-disabled')).not.toBe('true');
    await user.click(form.getByRole('button', { name: 'Cancel' }));
    await user.click(form.getByRole('button', { name: 'Discard' }));
    const [asked] = callsOf('connections.probe') as { readonly callId: string }[];
    expect(callsOf('api.cancel')).toEqual([{ callId: asked?.callId }]);
  });

  test('asks about an unknown certificate; no is the default, and nothing typed is lost', async () => {
    let tries = 0;
    const { user, callsOf } = await openWindow({
      'connections.add': () => {
        tries += 1;
        if (tries < 3)
          throw new Refused({ kind: 'certificate', code: 'unknown', message: 'Not known.', facts });
        return connection();
      },
    });
    await user.click(screen.getByRole('button', { name: 'Connect to a server' }));
    const form = await fillIn(user);
    await user.click(form.getByRole('button', { name: 'Connect' }));
    const question = within(await dialog('Unknown certificate'));
    expect(question.getByText(fingerprint)).toBeTruthy();
    expect(question.getByText('CN=prague\\u202e')).toBeTruthy();
    expect(document.activeElement?.textContent).toBe('Cancel');
    await user.keyboard('{Enter}');
    const again = within(await dialog('Connect to a server'));
    expect(again.getByRole<HTMLInputElement>('textbox', { name: 'User name' }).value).toBe('admin');
    await user.click(again.getByRole('button', { name: 'Connect' }));
    const second = within(await dialog('Unknown certificate'));
    await user.click(second.getByRole('button', { name: 'Trust this certificate' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const sent = callsOf('connections.add') as { readonly trustFingerprint: string | null }[];
    expect(sent.map((draft) => draft.trustFingerprint)).toEqual([null, null, fingerprint]);
  });

  test('a wrong password after the certificate is told in the form, which stays', async () => {
    const { user } = await openWindow({
      'connections.add': (input) => {
        const { trustFingerprint } = input as { readonly trustFingerprint: string | null };
        if (trustFingerprint === null)
          throw new Refused({ kind: 'certificate', code: 'unknown', message: 'Not known.', facts });
        throw new Refused({
          kind: 'signIn',
          message: 'The server refused the account.',
          errors: { password: 'is wrong, or the user name is' },
        });
      },
    });
    await user.click(screen.getByRole('button', { name: 'Connect to a server' }));
    const form = await fillIn(user);
    await user.click(form.getByRole('button', { name: 'Connect' }));
    await user.click(within(await dialog('Unknown certificate')).getByRole('button', { name: /^Trust/ }));
    const again = within(await dialog('Connect to a server'));
    expect((await again.findByRole('alert')).textContent).toBe('The server refused the account.');
    expect(again.getByText('Password is wrong, or the user name is')).toBeTruthy();
    expect(document.activeElement).toBe(again.getByLabelText('Password'));
  });

  test('giving up while it connects ends the try', async () => {
    const { user, callsOf } = await openWindow({ 'connections.add': () => new Promise(() => undefined) });
    await user.click(screen.getByRole('button', { name: 'Connect to a server' }));
    const form = await fillIn(user);
    await user.click(form.getByRole('button', { name: 'Connect' }));
    await user.click(form.getByRole('button', { name: 'Cancel' }));
    const [sent] = callsOf('connections.add') as { readonly callId: string }[];
    expect(callsOf('api.cancel')).toEqual([{ callId: sent?.callId }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});

describe('a connection that needs attention', () => {
  const changed = (code: string) =>
    connection(
      {},
      {
        phase: 'certificate',
        detail: 'The certificate changed.',
        problem: {
          kind: 'certificate',
          code,
          message: 'The certificate changed.',
          facts: { ...facts, trustedFingerprint: fingerprint.replaceAll('AB', 'CD') },
        },
      },
    );

  test('a changed certificate is asked about once, with both fingerprints', async () => {
    const { user, callsOf } = await openWindow({ 'connections.list': () => [changed('changed')] });
    const question = within(await dialog('Certificate changed'));
    expect(question.getByText(fingerprint)).toBeTruthy();
    expect(question.getByText(fingerprint.replaceAll('AB', 'CD'))).toBeTruthy();
    await user.click(question.getByRole('button', { name: 'Cancel' }));
    await user.click(screen.getByRole('link', { name: 'Tasks' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(await screen.findByRole('button', { name: 'Look at the certificate' }));
    await user.click(
      within(await dialog('Certificate changed')).getByRole('button', { name: 'Trust this certificate' }),
    );
    expect(callsOf('connections.trustCertificate')).toEqual([{ connectionId: 'prague', fingerprint }]);
  });

  test('a trusted certificate that expired offers another try, not trust', async () => {
    const { user, callsOf } = await openWindow({ 'connections.list': () => [changed('expired')] });
    await user.click(await screen.findByRole('button', { name: 'Try again' }));
    expect(callsOf('connections.retry')).toEqual([{ connectionId: 'prague' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('signing in again takes the password only and stays open on a refusal', async () => {
    let tries = 0;
    const { user, callsOf } = await openWindow({
      'connections.list': () => [connection({}, { phase: 'signIn', detail: 'The session is over.' })],
      'connections.signIn': () => {
        tries += 1;
        if (tries === 1) throw new Refused({ kind: 'signIn', message: 'The password is wrong.' });
        return connection();
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Sign in' }));
    const form = within(await dialog('Sign in to Prague'));
    await user.type(form.getByLabelText('Password'), 'one{Enter}');
    expect((await form.findByRole('alert')).textContent).toBe('The password is wrong.');
    await user.click(form.getByRole('button', { name: 'Sign in' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(callsOf('connections.signIn')).toHaveLength(2);
  });
});

describe('the actions of a connection', () => {
  test('edit its name, group, colour and whether it is remembered', async () => {
    const brno = connection({ id: 'brno', name: 'Brno', group: 'Offices' });
    const { user, callsOf } = await openWindow({
      ...server,
      'connections.list': () => [connection(), brno],
      'connections.update': () => connection(),
    });
    await user.click(screen.getByRole('button', { name: 'Connection actions' }));
    await user.click(screen.getByRole('menuitem', { name: 'Edit…' }));
    const form = within(await dialog('Edit connection'));
    const group = form.getByRole<HTMLInputElement>('combobox', { name: 'Group' });
    expect([...(group.list?.options ?? [])].map(({ value }) => value)).toEqual(['Offices']);
    await user.type(group, 'Offices');
    await user.selectOptions(form.getByRole('combobox', { name: 'Colour' }), 'Violet');
    await user.type(form.getByRole('combobox', { name: 'Time zone of the server' }), 'Europe/Prague');
    await user.click(form.getByRole('checkbox', { name: 'Remember me' }));
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(callsOf('connections.update')).toEqual([
      {
        connectionId: 'prague',
        patch: { name: 'Prague', group: 'Offices', colour: 'violet', zone: 'Europe/Prague', remember: false },
      },
    ]);
  });

  test('rename it, and keep the dialog open when the name is refused', async () => {
    const { user, callsOf } = await openWindow({
      ...server,
      'connections.list': () => [connection()],
      'connections.update': () => {
        throw new Refused({
          message: 'Please correct the marked fields.',
          errors: { name: 'must not be empty' },
        });
      },
    });
    await user.click(screen.getByRole('button', { name: 'Connection actions' }));
    await user.click(screen.getByRole('menuitem', { name: 'Edit…' }));
    const form = within(await dialog('Edit connection'));
    await user.clear(form.getByRole('textbox', { name: 'Name' }));
    await user.click(form.getByRole('button', { name: 'Save' }));
    expect(await form.findByText('Name must not be empty')).toBeTruthy();
    expect(callsOf('connections.update')).toMatchObject([{ connectionId: 'prague', patch: { name: '' } }]);
  });

  test('delete it only after a question that starts on Cancel', async () => {
    const { user, callsOf } = await openWindow({ ...server, 'connections.list': () => [connection()] });
    await user.click(screen.getByRole('button', { name: 'Connection actions' }));
    await user.click(screen.getByRole('menuitem', { name: 'Delete…' }));
    const question = within(await dialog('Delete connection'));
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Cancel'));
    expect(question.getByText(/The server keeps all its data/)).toBeTruthy();
    await user.click(question.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(callsOf('connections.remove')).toEqual([{ connectionId: 'prague' }]);
  });
});
