import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { TlsFiles } from '../../../contract/desktop/connection.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

const emptyList = () => ({ items: [], total: 0 });
const server = { 'taskQueue.list': emptyList, 'repository.list': emptyList, 'pools.list': emptyList };

test('a new connection takes own files, each looked at when it is chosen (case 39)', async () => {
  const picked = ['/pki/junk', '/pki/ca.pem', '/pki/me.pem'];
  const { user, callsOf } = await openWindow({
    'connections.add': () => connection(),
    'dialog.pickFile': () => picked.shift() ?? null,
    'connections.checkTls': (input) => {
      const { tls } = input as { readonly tls: TlsFiles };
      const refuse = (field: string, reason: string) =>
        new Refused({ kind: 'refused', message: reason, errors: { [field]: reason } });
      if (tls.caFile === '/pki/junk') throw refuse('caFile', 'There is no certificate in it.');
      if (tls.certificateFile !== '') throw refuse('keyFile', 'needs its key');
      return null;
    },
  });
  await user.click(screen.getByRole('button', { name: 'Connect to a server' }));
  const form = within(await dialog('Connect to a server'));
  expect(form.queryByRole('textbox', { name: 'File of authorities' })).toBeNull();
  await user.type(form.getByRole('textbox', { name: 'Address' }), 'prague.example.org');
  await user.type(form.getByRole('textbox', { name: 'User name' }), 'admin');
  await user.type(form.getByLabelText('Password'), 'secret');
  await user.click(form.getByRole('checkbox', { name: 'Own certificates' }));
  const [ofAuthorities, ofCertificate] = form.getAllByRole('button', { name: 'Browse…' });
  if (!ofAuthorities || !ofCertificate) throw new Error('no buttons to choose files with');
  await user.click(ofAuthorities);
  expect(await form.findByText('There is no certificate in it.')).toBeTruthy();
  await user.click(ofAuthorities);
  await waitFor(() => expect(form.queryByText('There is no certificate in it.')).toBeNull());
  await user.click(ofCertificate);
  await waitFor(() => expect(callsOf('connections.checkTls')).toHaveLength(3));
  // The key is still to come: no complaint yet.
  expect(form.queryByText('needs its key')).toBeNull();
  await user.type(form.getByRole('textbox', { name: 'Key of the client certificate' }), '/pki/me.key');
  await user.type(form.getByLabelText('Passphrase of the key'), 'open');
  await user.click(form.getByRole('button', { name: 'Connect' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(callsOf('connections.add')[0]).toMatchObject({
    tls: { caFile: '/pki/ca.pem', certificateFile: '/pki/me.pem', keyFile: '/pki/me.key' },
    keyPassphrase: 'open',
  });
});

test('another authority than the chosen one is told at its field, and asks for no trust by hand (case 40)', async () => {
  const { user } = await openWindow({
    'connections.add': () => {
      throw new Refused({
        kind: 'certificate',
        code: 'otherAuthority',
        message: 'No authority vouches for it.',
        errors: { caFile: 'does not vouch for the server' },
        facts: { fingerprint: 'AB' },
      });
    },
  });
  await user.click(screen.getByRole('button', { name: 'Connect to a server' }));
  const form = within(await dialog('Connect to a server'));
  await user.click(form.getByRole('checkbox', { name: 'Own certificates' }));
  await user.click(form.getByRole('button', { name: 'Connect' }));
  expect(await form.findByText(/does not vouch for the server/)).toBeTruthy();
  expect(screen.queryByRole('dialog', { name: 'Unknown certificate' })).toBeNull();
});

test('editing sends only the files and the passphrase that a person changed', async () => {
  const tls = { caFile: '/pki/ca.pem', certificateFile: '', keyFile: '' };
  const { user, callsOf } = await openWindow({
    ...server,
    'connections.list': () => [connection({ tls })],
    'connections.update': () => connection({ tls }),
  });
  const edit = async () => {
    await user.click(await screen.findByRole('button', { name: 'Connection actions' }));
    await user.click(await screen.findByRole('menuitem', { name: /^Edit/ }));
    return within(await dialog('Edit connection'));
  };
  let form = await edit();
  await user.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(callsOf('connections.update')).toHaveLength(1));
  const first = callsOf('connections.update')[0] as { readonly patch: object };
  expect(first.patch).not.toHaveProperty('tls');
  expect(first.patch).not.toHaveProperty('keyPassphrase');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  form = await edit();
  await user.clear(form.getByRole('textbox', { name: 'File of authorities' }));
  await user.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(callsOf('connections.update')).toHaveLength(2));
  expect(callsOf('connections.update')[1]).toMatchObject({ patch: { tls: { caFile: '' } } });
});
