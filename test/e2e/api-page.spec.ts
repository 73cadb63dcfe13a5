import { type Browser, chromium, expect, type Page, test } from '@playwright/test';
import { api } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { type BackendProcess, spawnBackend } from '../support/backend.ts';
import { makeTempDir } from '../support/temp-dir.ts';

/** The interactive page at the API's own address, in a browser as a person has it. */
const password = 'a long enough password';
let dataDir: Awaited<ReturnType<typeof makeTempDir>>;
let backend: BackendProcess;
let browser: Browser;
let url: string;

test.beforeAll(async () => {
  dataDir = await makeTempDir('api-page');
  backend = spawnBackend({ dataDir: dataDir.path, env: { STRONGROOM_ADMIN_PASSWORD: password } });
  ({ url } = await backend.ready);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
});

test.afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  await dataDir?.remove();
});

/** The page, opened; what goes wrong in it and whom it calls is noted from the first byte on. */
async function open() {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  const complaints: string[] = [];
  const hosts = new Set<string>();
  page.on('console', (message) => {
    // Chromium itself notes every answer from 400 on; that is no fault of the page.
    const isNote = message
      .text()
      .startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isNote) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') hosts.add(host);
  });
  await page.goto(url);
  await expect(page.locator('.opblock').first()).toBeVisible();
  return { page, complaints, hosts };
}

const operation = (page: Page, method: string, path: string) =>
  page
    .locator(`.opblock-${method.toLowerCase()}`)
    .filter({ has: page.locator(`.opblock-summary-path[data-path="${path}"]`) });

/** Opens the operation, sends it with `body` or as its example shows it, and answers status and envelope. */
async function tryOut(page: Page, method: string, path: string, body?: unknown) {
  const block = operation(page, method, path);
  if (!(await block.evaluate((element) => element.classList.contains('is-open')))) {
    await block.locator('.opblock-summary-control').click();
    await block.getByRole('button', { name: 'Try it out' }).click();
  }
  if (body !== undefined) await block.locator('textarea.body-param__text').fill(JSON.stringify(body));
  const [response] = await Promise.all([
    page.waitForResponse(
      (answer) => answer.request().method() === method && answer.url().split('?')[0] === `${url}${path}`,
    ),
    block.getByRole('button', { name: 'Execute' }).click(),
  ]);
  const shown = block.locator('.live-responses-table .response-col_status').last();
  await expect(shown).toHaveText(new RegExp(`^${response.status()}`));
  return { status: response.status(), envelope: await response.json() };
}

test('shows a tab named Auth and every path, from this server alone', async () => {
  const { page, complaints, hosts } = await open();
  const tabs = page.getByRole('navigation', { name: 'Groups of the API' });
  await expect(tabs.getByRole('link', { name: 'Auth', exact: true })).toBeVisible();
  await expect(tabs.getByRole('link', { name: 'Extensions', exact: true })).toBeVisible();
  await tabs.getByRole('link', { name: 'Auth', exact: true }).click();
  await expect(operation(page, 'POST', '/auth/login')).toBeInViewport();
  for (const { method, path } of Object.values<Endpoint>(api)) {
    const written = path.replace(/:([a-z_]+)/g, '{$1}');
    expect([method, written, await operation(page, method, written).count()]).toEqual([method, written, 1]);
  }
  await expect(page.locator('.opblock')).toHaveCount(Object.keys(api).length);
  expect([...hosts]).toEqual([new URL(url).host]);
  expect(complaints).toEqual([]);
});

test('lets a person log in, authorize and try calls', async () => {
  const { page, complaints, hosts } = await open();
  const login = await tryOut(page, 'POST', '/auth/login', {
    backup_database: 'strongroom',
    backup_user: 'admin',
    password,
  });
  expect(login.status).toBe(200);
  // From here on the header must do: the cookies of the login are thrown away.
  await page.context().clearCookies();
  expect((await tryOut(page, 'GET', '/pools')).status).toBe(401);

  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.dialog-ux');
  const bearer = dialog.locator('.auth-container').filter({ hasText: 'bearer' }).first();
  await bearer.getByRole('textbox').fill(login.envelope.data.access_token);
  await bearer.getByRole('button', { name: 'Apply credentials' }).click();
  await dialog.getByRole('button', { name: 'Close' }).first().click();

  const pools = await tryOut(page, 'GET', '/pools');
  expect([pools.status, pools.envelope.is_error]).toEqual([200, false]);
  const [{ media_server: mediaServer }] = pools.envelope.data;
  const draft = { pool_name: 'From the page', pool_type: 'File system', media_server: mediaServer };
  expect((await tryOut(page, 'POST', '/pools', draft)).status).toBe(201);
  const refused = await tryOut(page, 'POST', '/pools', {
    ...draft,
    pool_name: 'Other',
    retention_period: 'soon',
  });
  expect([refused.status, Object.keys(refused.envelope.errors)]).toEqual([400, ['retention_period']]);
  const group = await tryOut(page, 'POST', '/client_groups');
  expect([group.status, group.envelope.errors]).toEqual([201, {}]);

  const kept = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
  expect(kept).toEqual([0, 0, '']);
  expect([...hosts]).toEqual([new URL(url).host]);
  expect(complaints).toEqual([]);

  await page.reload();
  await expect(page.locator('.opblock').first()).toBeVisible();
  expect((await tryOut(page, 'GET', '/pools')).status).toBe(401);
});

test('works with the cookies of the login and its second token', async () => {
  const { page, complaints } = await open();
  const login = await tryOut(page, 'POST', '/auth/login', {
    backup_database: 'strongroom',
    backup_user: 'admin',
    password,
  });
  expect((await tryOut(page, 'GET', '/client_groups')).status).toBe(200);
  expect((await tryOut(page, 'POST', '/client_groups', { name: 'Without' })).status).toBe(401);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.dialog-ux');
  const csrf = dialog.locator('.auth-container').filter({ hasText: 'X-CSRF-TOKEN' }).first();
  await csrf.getByRole('textbox').fill(login.envelope.data.csrf_token);
  await csrf.getByRole('button', { name: 'Apply credentials' }).click();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  expect((await tryOut(page, 'POST', '/client_groups', { name: 'With' })).status).toBe(201);
  expect(complaints).toEqual([]);
});
