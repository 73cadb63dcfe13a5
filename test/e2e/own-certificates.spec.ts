import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { makeCertificate } from '../main/support/certificates.ts';
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

test('a server behind an own authority that asks for a client certificate (cases 39, 40)', async () => {
  test.setTimeout(120_000);
  const { url } = await (await serve('prague')).ready;
  makeAuthority('ours');
  makeAuthority('theirs');
  issue('server', 'subjectAltName=IP:127.0.0.1\n');
  issue('client', 'extendedKeyUsage=clientAuth\n');
  const read = (name: string) => readFileSync(at(name));
  const options = { key: read('server.key'), cert: read('server.crt'), ca: read('ours.crt') };
  const front = await startFront(url, { ...options, requestCert: true, rejectUnauthorized: true });
  try {
    const { page } = await launch('home');
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
