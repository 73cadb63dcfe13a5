import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { spawnBackend } from '../support/backend.ts';
import { launchApp } from './support/app.ts';

const password = 'canary-Passwort-7f3a9c';
/** The first characters of every JSON Web Token that is signed with HS256. */
const token = /eyJhbGciOiJIUzI1NiI[A-Za-z0-9_-]*\.[A-Za-z0-9_-]+/;

test('no token and no password is in the settings, the logs, the window or the process list', async () => {
  const work = mkdtempSync(join(tmpdir(), 'strongroom-secrets-'));
  const home = join(work, 'home');
  const server = spawnBackend({
    dataDir: join(work, 'server'),
    env: { STRONGROOM_ADMIN_PASSWORD: password },
  });
  const { url } = await server.ready;
  const app = await launchApp({ home });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    const connections = page.getByRole('navigation', { name: 'Connections' });
    await expect(connections.getByText(/This computer/).first()).toBeVisible({ timeout: 30_000 });
    await connections.getByRole('button', { name: 'Add connection' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
    await dialog.getByLabel('Address').fill(url.replace(/\/api\/v1$/, ''));
    await dialog.getByLabel('Database', { exact: true }).fill('strongroom');
    await dialog.getByLabel('User name').fill('admin');
    await dialog.getByLabel('Password').fill(password);
    await dialog.getByLabel('Remember me').check();
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog).toBeHidden({ timeout: 20_000 });
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: 'Tasks' }).click();
    await expect(page.getByRole('grid', { name: 'Tasks' })).toBeVisible();

    const places = [
      ...filesBelow(work).map((path) => ({ place: path, text: readFileSync(path, 'latin1') })),
      { place: 'what main wrote', text: app.output() },
      { place: 'the heap of the window', text: await heapOf(page) },
      ...processes(),
    ];
    expect(places.length).toBeGreaterThan(10);
    const findings = places.flatMap(({ place, text }) => [
      ...(token.test(text) ? [`a token in ${place}`] : []),
      ...(text.includes(password) ? [`the password in ${place}`] : []),
    ]);
    expect(findings).toEqual([]);
  } finally {
    await app.close();
    await server.stop();
    rmSync(work, { recursive: true, force: true });
  }
});

/** Everything that the app and the server keep: settings, browser data, catalogue, logs. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size < 64 * 1024 * 1024);
}

async function heapOf(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const parts: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => parts.push(chunk));
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  const heap = parts.join('');
  expect(heap).toContain('This computer');
  return heap;
}

/** Arguments of every process; nobody may read a secret there. */
function processes(): readonly { place: string; text: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [
          { place: `arguments of process ${pid}`, text: readFileSync(`/proc/${pid}/cmdline`, 'latin1') },
        ];
      } catch {
        // The process has ended since the folder was read.
        return [];
      }
    });
}
