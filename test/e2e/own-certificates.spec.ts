import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { makeCertificate } from '../main/support/certificates.ts';
import { answerSaveDialog } from './support/app.ts';
import { startFront } from './support/front.ts';
import { adminPassword, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { serve, launch, work } = manyServers();
const at = (name: string) => join(work(), name);
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function makeAuthority(name: string): void {
  const out = ['-keyout', at(`${name}.key`), '-out', at(`${name}.crt`)];
  openssl('req', '-x509', ...newKey, ...out, '-days', '3650', '-subj', `/CN=${name}`);
}
function issue(name: string, extension: string): void {
  writeFileSync(at('ext'), extension);
  openssl('req', '-new', ...newKey, '-keyout', at(`${name}.key`), '-out', at('csr'), '-subj', `/CN=${name}`);
  const by = ['-CA', at('ours.crt'), '-CAkey', at('ours.key'), '-CAcreateserial', '-days', '3650'];
  openssl('x509', '-req', '-in', at('csr'), ...by, '-extfile', at('ext'), '-out', at(`${name}.crt`));
}

test('a server behind an own authority that asks for a client certificate, also from a file of connections (cases 31, 39, 40)', async () => {
  test.setTimeout(240_000);
  const { url } = await (await serve('prague')).ready;
  makeAuthority('ours');
  makeAuthority('theirs');
  issue('server', 'subjectAltName=IP:127.0.0.1\n');
  issue('client', 'extendedKeyUsage=clientAuth\n');
  const read = (name: string) => readFileSync(at(name));
  const options = { key: read('server.key'), cert: read('server.crt'), ca: read('ours.crt') };
  const front = await startFront(url, { ...options, requestCert: true, rejectUnauthorized: true });
  try {
    const { page, app } = await launch('home');
    await page.getByRole('button', { name: 'Connect to a server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
    await dialog.getByLabel('Address').fill(front.address);
    await dialog.getByLabel('User name').fill('admin');
    await dialog.getByLabel('Password').fill(adminPassword);
    await dialog.getByRole('checkbox', { name: 'Own certificates' }).press('Space');
    const submit = dialog.getByRole('button', { name: 'Connect' });
    await dialog.getByLabel('File of authorities').fill(at('theirs.crt'));
    await submit.click();
    await expect(dialog.getByText(/File of authorities does not vouch for the server/)).toBeVisible();
    await inBothThemes(page, 'own-certificates');
    await dialog.getByLabel('File of authorities').fill(at('ours.crt'));
    await submit.click();
    await expect(dialog.getByText('Client certificate is asked for by the server')).toBeVisible();
    await dialog.getByLabel('Client certificate', { exact: true }).fill(at('client.crt'));
    await dialog.getByLabel('Key of the client certificate').fill(at('client.key'));
    await submit.click();
    await expect(dialog).toBeHidden({ timeout: 20_000 });
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();

    // A file of connections names the files, and holds nothing of what is in them.
    const file = at('connections.json');
    await answerSaveDialog(app, file);
    await page
      .getByRole('navigation', { name: 'Connections' })
      .getByRole('button', { name: 'All servers' })
      .click();
    await page.getByRole('button', { name: 'Connections', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Export connections…' }).click();
    const save = page.getByRole('dialog', { name: 'Export connections' });
    await save.getByRole('button', { name: 'Save…' }).click();
    await expect(save).toBeHidden();
    const written = readFileSync(file, 'utf8');
    for (const name of ['ours.crt', 'client.crt', 'client.key']) expect(written).toContain(at(name));
    for (const secret of [adminPassword, 'PRIVATE KEY', 'BEGIN', 'eyJ'])
      expect(written).not.toContain(secret);

    // Another installation says which files it would use, and signs in with them.
    const other = (await launch('other')).page;
    await other.getByRole('button', { name: 'Import connections…' }).click();
    const take = other.getByRole('dialog', { name: 'Import connections' });
    await take.getByLabel('File').fill(file);
    await take.getByRole('button', { name: 'Look into the file' }).click();
    const found = take.getByRole('list', { name: 'Connections in the file' });
    await expect(found).toContainText(`Trusts only the authorities in ${at('ours.crt')}`);
    await expect(found).toContainText(`Shows the client certificate ${at('client.crt')}`);
    await expect(found).toContainText(`Uses the key ${at('client.key')}`);
    await inBothThemes(other, 'own-certificates-import');
    await take.getByRole('button', { name: 'Import' }).click();
    await expect(take).toBeHidden();
    const side = other.getByRole('navigation', { name: 'Connections' });
    await side.getByRole('button', { name: /, needs sign-in$/ }).click({ timeout: 20_000 });
    await other.getByRole('button', { name: 'Connection actions' }).click();
    await other.getByRole('menuitem', { name: 'Sign in…' }).click();
    const form = other.getByRole('dialog', { name: /^Sign in to / });
    await form.getByLabel('Password').fill(adminPassword);
    await form.getByRole('button', { name: 'Sign in' }).click();
    await expect(form).toBeHidden({ timeout: 20_000 });
    await expect(side.getByRole('button', { name: /, connected$/ })).toBeVisible();
  } finally {
    front.close();
  }
});

test('an unknown certificate is trusted once by hand; a changed one says both fingerprints and sends nothing (cases 38, 40)', async () => {
  test.setTimeout(120_000);
  const { url } = await (await serve('prague')).ready;
  const [first, second] = [await makeCertificate(), await makeCertificate()];
  const front = await startFront(url, { key: first.key, cert: first.cert });
  const asked: string[] = [];
  front.instead = ({ path }) => {
    asked.push(path);
    return false;
  };
  try {
    const { page } = await launch('home');
    await page.getByRole('button', { name: 'Connect to a server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
    await dialog.getByLabel('Address').fill(front.address);
    await dialog.getByLabel('User name').fill('admin');
    await dialog.getByLabel('Password').fill(adminPassword);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    const unknown = page.getByRole('dialog', { name: 'Unknown certificate' });
    await expect(unknown).toContainText(first.fingerprint);
    await expect(unknown).toContainText('It vouches for itself');
    await expect(unknown.getByRole('button', { name: 'Cancel' })).toBeFocused();
    expect(asked).toEqual([]);
    await inBothThemes(page, 'certificate-unknown');
    // No is the default, and all that was typed is still there.
    await page.keyboard.press('Enter');
    await expect(unknown).toBeHidden();
    expect(asked).toEqual([]);
    await expect(dialog.getByLabel('Address')).toHaveValue(front.address);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await unknown.getByRole('button', { name: 'Trust this certificate' }).click();
    await expect(dialog).toBeHidden({ timeout: 20_000 });
    const side = page.getByRole('navigation', { name: 'Connections' });
    await expect(side.getByRole('button', { name: /, connected$/ })).toBeVisible();

    front.showCertificate(second);
    const before = asked.length;
    // Whatever meets the other certificate first, a person is asked.
    const changed = page.getByRole('dialog', { name: 'Certificate changed' });
    await expect(changed).toBeVisible({ timeout: 30_000 });
    await expect(changed).toContainText(first.fingerprint);
    await expect(changed).toContainText(second.fingerprint);
    await expect(changed.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await inBothThemes(page, 'certificate-changed');
    await changed.getByRole('button', { name: 'Cancel' }).click();
    await expect(changed).toBeHidden();
    expect(asked.length).toBe(before);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Users' }).click();
    await page.getByRole('button', { name: 'Look at the certificate' }).click();
    await changed.getByRole('button', { name: 'Trust this certificate' }).click();
    await expect(changed).toBeHidden();
    await expect(page.getByRole('grid', { name: 'Users' })).toContainText('admin', { timeout: 20_000 });
    expect(asked.length).toBeGreaterThan(before);
  } finally {
    front.close();
  }
});
