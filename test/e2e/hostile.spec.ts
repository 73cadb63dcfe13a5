import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { api } from '../../contract/api.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { sections } from '../../renderer/features/registry.ts';
import { screenshot } from './support/app.ts';
import { type Front, startFront } from './support/front.ts';
import { lookFor, poisoned } from './support/hostile.ts';
import { adminPassword, backUp, manyServers } from './support/servers.ts';

const { serve, launch, work } = manyServers();

async function connectTo(page: Page, front: Front): Promise<void> {
  await page.getByRole('button', { name: 'Connect to a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
  await dialog.getByLabel('Address').fill(front.address);
  await dialog.getByLabel('User name').fill('admin');
  await dialog.getByLabel('Password').fill(adminPassword);
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await expect(dialog).toBeHidden({ timeout: 20_000 });
}

const goTo = async (page: Page, section: string): Promise<void> => {
  const sectionsNav = page.getByRole('navigation', { name: 'Sections' });
  await sectionsNav.getByRole('link', { name: section, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible();
};

test('names of a hostile server are shown as text on every screen, and huge numbers break none', async () => {
  test.setTimeout(300_000);
  const front = await startFront((await (await serve('prague')).ready).url);
  try {
    const { page } = await launch('home');
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(error.message));
    await connectTo(page, front);
    await goTo(page, 'Tasks');
    await backUp(page, join(work(), 'not there'));
    await expect(page.getByRole('grid', { name: 'Tasks' })).toContainText('Error', { timeout: 30_000 });
    front.change = poisoned;
    const wrong: string[] = [];
    for (const { id: section } of sections) {
      if (section === 'Local backend') continue;
      await goTo(page, section);
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
      await page.keyboard.press('F5');
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
      const lines = page.locator('main [role="row"][aria-selected], main [role="treeitem"]');
      const tabs = await page.locator('main .tabbed-screen > [role="tablist"] [role="tab"]').all();
      for (const tab of tabs.length === 0 ? [null] : tabs) {
        await tab?.click();
        await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
        if ((await lines.count()) > 0) await lines.last().click();
        await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
        const where = `${section}${tab === null ? '' : `, ${await tab.textContent()}`}`;
        wrong.push(...(await lookFor(page)).map((what) => `${where}: ${what}`));
        const failed = await page.getByText('This part of the window failed').count();
        if (failed > 0) wrong.push(`${where}: a part failed`);
        await screenshot(page, `hostile-${where.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`);
      }
    }
    // Across all servers, in the palette and in a question as well.
    await page.getByRole('button', { name: 'All servers' }).click();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('not there');
    await expect(
      page.getByRole('dialog', { name: 'Go to anything' }).getByRole('option').first(),
    ).toBeVisible();
    wrong.push(...(await lookFor(page)).map((what) => `palette: ${what}`));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /, connected$/ }).click();
    await goTo(page, 'Tasks');
    await page.getByRole('grid', { name: 'Tasks' }).getByRole('row').last().click();
    await page.getByRole('toolbar', { name: 'Task actions' }).getByRole('button', { name: 'Delete' }).click();
    const question = page.getByRole('dialog', { name: 'Delete tasks' });
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeInViewport();
    wrong.push(...(await lookFor(page)).map((what) => `question: ${what}`));
    await screenshot(page, 'hostile-question');
    expect(wrong).toEqual([]);
    expect(failures).toEqual([]);
  } finally {
    front.close();
  }
});

test('answers that no backup server gives are told in words, list by list; the rest of the window works on', async () => {
  test.setTimeout(300_000);
  const front = await startFront((await (await serve('prague')).ready).url);
  const dripping = new Set<() => void>();
  const bad: Readonly<Record<string, Front['instead']>> = {
    '/pools': (_asked, answer) => {
      answer.writeHead(200, { 'content-type': 'text/html' });
      answer.end('<!doctype html><title>Sign in to the guest network</title>');
      return true;
    },
    '/users': (_asked, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      answer.write('{"data":[{"id":1,"name":"a');
      answer.destroy();
      return true;
    },
    '/storage_local_catalogs': (_asked, answer) => {
      answer.writeHead(500);
      answer.end();
      return true;
    },
    '/dynamic_pool_groups': (_asked, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.end('{"data":{"a":"b"},"errors":{},"is_error":false,"message":""}');
      return true;
    },
    '/media_servers': (_asked, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.end('{"data":[{"id":1,"name":"a"},');
      return true;
    },
    '/strategies': (_asked, answer) => {
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
      answer.write('{"data":[');
      const timer = setInterval(() => answer.write(' '), 200);
      const stop = () => clearInterval(timer);
      dripping.add(stop);
      answer.on('close', stop);
      return true;
    },
  };
  try {
    const { page, home } = await launch('home');
    await connectTo(page, front);
    front.instead = (asked, answer) => bad[asked.path]?.(asked, answer) ?? false;
    const told = async (section: string, reason: RegExp) => {
      await goTo(page, section);
      await expect(page.locator('main').getByRole('alert')).toContainText(reason, { timeout: 20_000 });
      await expect(page.locator('main').getByRole('button', { name: 'Retry' })).toBeVisible();
      await screenshot(page, `bad-answer-${section.toLowerCase().replaceAll(' ', '-')}`);
    };
    await told('Pools', /it answered with a web page/);
    await told('Users', /closed the connection|broke off|cut|broken/i);
    await told('Storages', /it failed \(HTTP 500\)/);
    await told('Dynamic groups', /data is not a list/);
    await told('Media servers', /not valid JSON/);
    // A drip is waited for, and nobody else waits with it.
    await page
      .getByRole('navigation', { name: 'Sections' })
      .getByRole('link', { name: 'Strategies', exact: true })
      .click();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(1);
    await goTo(page, 'Tasks');
    await expect(page.getByText('No task has run yet')).toBeVisible();
    // The rest stands, the connection too; when the server is well again, so is each list.
    await expect(page.getByRole('button', { name: /, connected$/ })).toBeVisible();
    front.instead = () => false;
    await goTo(page, 'Pools');
    await expect(page.getByRole('grid', { name: 'Pools' })).toContainText('Default');
    expect(readFileSync(join(home, 'log', 'app.log'), 'utf8')).not.toContain('nobody expected');
  } finally {
    for (const stop of dripping) stop();
    front.close();
  }
});

/** What came after 2.3: to such a server it does not exist. */
const extensions = (Object.values(api) as readonly Endpoint[])
  .filter(({ extension }) => extension !== undefined)
  .map(({ method, path }) => ({ method, form: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`) }));

test('a server of version 2.3: its login takes three fields, and what it does not have is said or left out (case 136)', async () => {
  test.setTimeout(240_000);
  const front = await startFront((await (await serve('old')).ready).url);
  const logins: unknown[] = [];
  const refuse = (answer: Parameters<Front['instead']>[1], status: number, message: string) => {
    answer.writeHead(status, { 'content-type': 'application/json' });
    answer.end(JSON.stringify({ data: null, errors: {}, is_error: true, message }));
    return true;
  };
  front.instead = ({ method, path, body }, answer) => {
    if (path === '/openapi.json') {
      answer.writeHead(200, { 'content-type': 'application/json' });
      const paths = { '/auth/login': { post: { password: {} } } };
      answer.end(JSON.stringify({ info: { version: '2.3.1' }, paths }));
      return true;
    }
    if (path === '/auth/login') {
      const fields = JSON.parse(body) as Record<string, unknown>;
      logins.push(Object.keys(fields).sort());
      if (Object.keys(fields).length !== 3) return refuse(answer, 400, 'Unknown field.');
    }
    const isNewer = extensions.some((one) => one.method === method && one.form.test(path));
    return isNewer && refuse(answer, 404, 'Not found.');
  };
  front.change = ({ path }, text) =>
    path === '/auth/login' ? text.replace(/"package_version":\s*"[^"]*"/, '"package_version":"2.3.1"') : text;
  try {
    const { page } = await launch('home');
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(error.message));
    await page.getByRole('button', { name: 'Connect to a server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
    await dialog.getByLabel('Address').fill(front.address);
    await dialog.getByRole('radio', { name: 'Domain account' }).check();
    await dialog.getByLabel('Domain', { exact: true }).fill('lab.example');
    await dialog.getByLabel('User name').fill('admin');
    await dialog.getByLabel('Password').fill(adminPassword);
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog.getByRole('alert').first()).toContainText(/domain/i, { timeout: 20_000 });
    // A domain never goes to a server that does not know what it is.
    expect(logins).toEqual([]);
    await screenshot(page, 'old-server-domain');
    await dialog.getByRole('radio', { name: 'Database account' }).check();
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog).toBeHidden({ timeout: 20_000 });
    expect(logins).toEqual([['backup_database', 'backup_user', 'password']]);
    const links = page.getByRole('navigation', { name: 'Sections' }).getByRole('link');
    const names = await links.evaluateAll((all) => all.map((link) => link.textContent?.trim() ?? ''));
    expect(names).toContain('Tasks');
    expect(names).not.toContain('Audit log');
    const wrong: string[] = [];
    for (const name of names) {
      await goTo(page, name);
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
      if ((await page.getByText('Not found.').count()) > 0) wrong.push(`${name}: asks for what is not there`);
      if ((await page.locator('main').getByRole('button', { name: 'Retry' }).count()) > 0)
        wrong.push(`${name}: failed`);
      wrong.push(...(await lookFor(page)).map((what) => `${name}: ${what}`));
      await screenshot(page, `old-server-${name.toLowerCase().replaceAll(' ', '-')}`);
    }
    expect(wrong).toEqual([]);
    expect(failures).toEqual([]);
    await goTo(page, 'Tasks');
    await backUp(page, join(work(), 'not there'));
    await expect(page.getByRole('grid', { name: 'Tasks' })).toContainText('Error', { timeout: 30_000 });
  } finally {
    front.close();
  }
});
