import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { openDatabase } from '../../backend/db/index.ts';
import { spawnBackend } from '../support/backend.ts';
import { screenshot } from './support/app.ts';
import { connect, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { launch, serve, work } = manyServers();

test('the local backend: its state, log, settings, a copy of its catalogue, stop, start, and a start that fails', async () => {
  test.setTimeout(180_000);
  const { page, app, home } = await launch('home');
  await app.evaluate(({ shell }) => {
    const kept = globalThis as unknown as { opened: string[] };
    kept.opened = [];
    shell.openPath = async (path) => {
      kept.opened.push(path);
      return '';
    };
    shell.openExternal = async (url) => {
      kept.opened.push(url);
    };
  });
  await page.getByRole('button', { name: 'Use this computer' }).click();
  await page
    .getByRole('navigation', { name: 'Sections' })
    .getByRole('link', { name: 'Local backend' })
    .click({ timeout: 60_000 });
  const actions = page.getByRole('toolbar', { name: 'Local backend actions' });
  const state = page.getByRole('region', { name: 'State' });
  await expect(state).toContainText(/Running for\d+ s/, { timeout: 30_000 });

  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  for (const fact of [
    `Version${version}`,
    `Data folder${join(home, 'backend')}`,
    `Log folder${join(home, 'backend', 'log')}`,
    'http://127.0.0.1:',
  ])
    await expect(state).toContainText(fact);

  const log = page.getByRole('log', { name: 'Log' });
  await expect(log).toContainText('ready url=http://127.0.0.1:');
  await page.getByLabel('Severity').selectOption('error');
  await expect(page.getByText('No line is as severe as that.')).toBeVisible();
  await page.getByLabel('Severity').selectOption('all');

  await page.getByRole('button', { name: 'Open data folder' }).click();
  await page.getByRole('button', { name: 'Open logs' }).click();
  await page.getByRole('button', { name: 'Open API page' }).click();
  const opened = () => app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened);
  await expect
    .poll(opened)
    .toEqual([
      join(home, 'backend'),
      join(home, 'backend', 'log'),
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
    ]);

  const folder = join(work(), 'copies');
  mkdirSync(folder);
  await page.getByRole('button', { name: 'Back up catalogue…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Back up the catalogue' });
  await dialog.getByLabel('Folder', { exact: true }).fill(join(work(), 'not there'));
  await dialog.getByRole('button', { name: 'Back up' }).click();
  await expect(dialog.getByText(/does not exist on the server; make it first/)).toBeVisible();
  await screenshot(page, 'local-backend-copy-refused');
  await dialog.getByLabel('Folder', { exact: true }).fill(folder);
  await dialog.getByRole('button', { name: 'Back up' }).click();
  await expect(dialog).toBeHidden();
  const catalogue = page.getByRole('region', { name: 'Catalogue' });
  await expect(catalogue).toContainText(/strongroom-catalogue-[\dT-]+\.db, [\d.]+ KiB/);
  const [copy = ''] = readdirSync(folder);
  const database = await openDatabase({ kind: 'sqlite', path: join(folder, copy) });
  expect(await database.db.selectFrom('pools').select('name').execute()).toEqual([{ name: 'Default' }]);
  await database.close();

  const settings = page.getByRole('region', { name: 'Settings' });
  await settings.getByRole('button', { name: 'Enter service mode' }).click();
  await expect(settings).toContainText('on: no task starts');
  await inBothThemes(page, 'local-backend-running');
  await settings.getByRole('button', { name: 'Leave service mode' }).click();
  await expect(settings.getByRole('button', { name: 'Enter service mode' })).toBeVisible();
  await settings.getByRole('button', { name: 'Open configuration' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Configuration' })).toBeVisible();
  await page.getByRole('link', { name: 'Local backend' }).click();

  // Another process after a restart, and the connection is back without a question.
  const processOf = async () => /Process(\d+)/.exec((await state.textContent()) ?? '')?.[1];
  const before = await processOf();
  expect(before).toMatch(/^\d+$/);
  await actions.getByRole('button', { name: 'Restart' }).click();
  await expect.poll(processOf, { timeout: 30_000 }).not.toBe(before);
  await expect(state).toContainText('running, since', { timeout: 30_000 });
  await expect(page.getByRole('button', { name: 'This computer, connected' })).toBeVisible({
    timeout: 30_000,
  });
  expect(await processOf()).toMatch(/^\d+$/);

  await actions.getByRole('button', { name: 'Stop' }).click();
  await expect(state).toContainText('stopped, since', { timeout: 30_000 });
  await inBothThemes(page, 'local-backend-stopped');

  // Somebody else has the data folder: the start fails, says so and what to do.
  const other = spawnBackend({ dataDir: join(home, 'backend') });
  try {
    await other.ready;
    await actions.getByRole('button', { name: 'Start', exact: true }).click();
    const remedy = page.getByRole('region', { name: 'What to do' });
    await expect(remedy).toContainText('Stop that one, then Retry.', { timeout: 30_000 });
    await inBothThemes(page, 'local-backend-failed');
  } finally {
    await other.stop();
  }
  await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click();
  await expect(state).toContainText('running, since', { timeout: 30_000 });
  // The log goes on over restarts.
  await expect(log).toContainText('stopping');
  await page.setViewportSize({ width: 1024, height: 700 });
  await screenshot(page, 'local-backend-narrow');
});

test('the identity of the local backend is made anew: connections, data and tasks stay (case 14)', async () => {
  test.setTimeout(120_000);
  const other = await serve('other');
  const { page } = await launch('home');
  await page.getByRole('button', { name: 'Use this computer' }).click();
  const here = page.getByRole('button', { name: 'This computer, connected' });
  await expect(here).toBeVisible({ timeout: 60_000 });
  await connect(page, other, page.getByRole('button', { name: 'Add connection' }));
  await here.click();
  const section = (name: string) =>
    page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true });
  await section('Pools').click();
  await page.getByRole('button', { name: 'New pool' }).click();
  const form = page.getByRole('dialog', { name: 'New pool' });
  await form.getByLabel('Name', { exact: true }).fill('Kept');
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(form).toBeHidden();

  await section('Local backend').click();
  const state = page.getByRole('region', { name: 'State' });
  const processOf = async () => /Process(\d+)/.exec((await state.textContent()) ?? '')?.[1];
  await expect.poll(processOf, { timeout: 30_000 }).toMatch(/^\d+$/);
  const before = await processOf();
  await page.getByRole('button', { name: 'Reset identity…' }).click();
  const question = page.getByRole('dialog', { name: 'Reset the identity of the local backend' });
  await expect(question).toContainText('Its data, its tasks and your connections stay.');
  await screenshot(page, 'local-backend-reset');
  await question.getByRole('button', { name: 'Reset', exact: true }).click();
  await expect(question).toBeHidden({ timeout: 30_000 });
  await expect.poll(processOf, { timeout: 30_000 }).not.toBe(before);
  await expect(state).toContainText('running, since', { timeout: 30_000 });

  // Nobody has to sign in, the other connection was not touched, and what was made is there.
  await expect(here).toBeVisible({ timeout: 30_000 });
  const connections = page.getByRole('navigation', { name: 'Connections' });
  await expect(connections.getByRole('button', { name: /, connected$/ })).toHaveCount(2);
  await section('Pools').click();
  await expect(page.getByRole('grid', { name: 'Pools' }).getByRole('row', { name: /Kept/ })).toBeVisible();
});
