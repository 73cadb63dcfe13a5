import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
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
  const front = createServer({ ...options, requestCert: true, rejectUnauthorized: true }, (seen, answer) => {
    // The server answers to its own address only.
    const headers = { ...seen.headers, host: new URL(url).host };
    const { port } = new URL(url);
    const behind = request(
      { host: '127.0.0.1', port, path: seen.url, method: seen.method, headers },
      (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      },
    );
    behind.on('error', () => answer.destroy());
    answer.on('close', () => behind.destroy());
    seen.pipe(behind);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  try {
    const { page } = await launch('home');
    await page.getByRole('button', { name: 'Connect to a server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
    await dialog.getByLabel('Address').fill(`https://127.0.0.1:${(front.address() as AddressInfo).port}`);
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
    front.closeAllConnections();
    front.close();
  }
});
