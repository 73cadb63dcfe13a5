import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ElectronApplication, expect, test } from '@playwright/test';
import { screenshot } from './support/app.ts';
import { backUp, connect, edit, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { serve, launch, work } = manyServers();

interface Shown {
  readonly title: string;
  readonly body: string;
}

/** The desktop of a test shows nothing; what main gives it is kept, and can be clicked. */
async function keepNotices(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ Notification }) => {
    const kept = globalThis as unknown as { shown: Electron.Notification[] };
    kept.shown = [];
    Notification.isSupported = () => true;
    Notification.prototype.show = function show(this: Electron.Notification) {
      kept.shown.push(this);
    };
  });
}

const shown = (app: ElectronApplication): Promise<readonly Shown[]> =>
  app.evaluate(() =>
    (globalThis as unknown as { shown: Electron.Notification[] }).shown.map(({ title, body }) => ({
      title,
      body,
    })),
  );

test('the desktop tells of failed tasks and lost servers, as far as a person wants, and leads to them', async () => {
  test.setTimeout(240_000);
  const server = await serve('prague');
  const { page, app } = await launch('home');
  await keepNotices(app);
  const side = page.getByRole('navigation', { name: 'Connections' });
  await connect(page, server, page.getByRole('button', { name: 'Connect to a server' }));
  await edit(page, { name: 'Prague', group: '', colour: 'none' });
  await side.getByRole('button', { name: 'All servers' }).click();
  await expect(page.getByText('All is well.')).toBeVisible({ timeout: 30_000 });
  await side.getByRole('button', { name: 'Prague, connected' }).click();
  await backUp(page, join(work(), 'not there'));
  await expect
    .poll(() => shown(app), { timeout: 30_000 })
    .toEqual([{ title: 'Task failed on Prague', body: expect.stringContaining('not there') }]);
  await side.getByRole('button', { name: 'All servers' }).click();
  await app.evaluate(() => {
    const [first] = (globalThis as unknown as { shown: Electron.Notification[] }).shown;
    first?.emit('click', {} as never);
  });
  await expect(page.getByRole('region', { name: 'Task details' })).toContainText('not there');

  await page.keyboard.press('Control+,');
  const preferences = page.getByRole('dialog', { name: 'Preferences' });
  await preferences.getByLabel('when a task failed').uncheck();
  await preferences.getByLabel('Clock').selectOption('12');
  await preferences.getByLabel('Times of a server in another zone').selectOption('beside');
  await preferences.getByLabel('Look for new versions once a day').check();
  await preferences.getByLabel('Address of new versions').fill('http://127.0.0.1/');
  await preferences.getByRole('button', { name: 'Save' }).click();
  await expect(preferences.getByText(/must be an https address without a password/)).toBeVisible();
  await inBothThemes(page, 'preferences');
  // Nobody listens there: the real answer of a network without such a server.
  await preferences.getByLabel('Address of new versions').fill('https://127.0.0.1:9/strongroom');
  await preferences.getByRole('button', { name: 'Save' }).click();
  await expect(preferences).toBeHidden();
  await expect(
    page
      .getByText(/Whether there is a new version could not be found out from https:\/\/127\.0\.0\.1:9/)
      .first(),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Dismiss' }).first().click();
  await page.getByRole('button', { name: 'Connection actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const form = page.getByRole('dialog', { name: 'Edit connection' });
  await form.getByLabel('Time zone of the server').fill('Nowhere/None');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByText(/must be a time zone that this computer knows/)).toBeVisible();
  await screenshot(page, 'connection-edit-error');
  await form.getByLabel('Time zone of the server').fill('Asia/Tokyo');
  await inBothThemes(page, 'connection-edit');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();
  // The same moment on both clocks, in 12 hours; the status bar has the server's clock too.
  await expect(page.getByRole('grid', { name: 'Tasks' })).toContainText(
    /\d{1,2}:\d\d:\d\d [AP]M \((\w{3} )?\d{1,2}:\d\d [AP]M\)/,
  );
  await expect(page.getByTitle('Time of the server')).toContainText(/server .*[AP]M Asia\/Tokyo/);
  await inBothThemes(page, 'tasks-two-clocks');

  await backUp(page, join(work(), 'not there either'));
  await expect(page.getByRole('grid', { name: 'Tasks' })).toContainText('either', { timeout: 30_000 });
  await server.kill();
  await expect
    .poll(async () => (await shown(app)).map(({ title }) => title), { timeout: 30_000 })
    .toEqual(['Task failed on Prague', 'Prague is lost']);
});

interface TrayShown {
  readonly tips: readonly string[];
  readonly menu: Electron.Menu | null;
}

test('the icon in the tray says how the servers are, and its menu leads to them', async () => {
  test.setTimeout(240_000);
  const server = await serve('prague');
  // The desktop of a test has no place for such icons; the program that main asks says that it has.
  const tools = join(work(), 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'dbus-send'), '#!/bin/sh\necho "   boolean true"\n', { mode: 0o755 });
  const { page, app } = await launch('home', { PATH: `${tools}:${process.env.PATH}` });
  await app.evaluate(({ Tray }) => {
    const kept = { tips: [] as string[], menu: null as Electron.Menu | null };
    (globalThis as unknown as { tray: typeof kept }).tray = kept;
    const { setToolTip, setContextMenu } = Tray.prototype;
    Tray.prototype.setToolTip = function keep(this: Electron.Tray, tip: string) {
      kept.tips.push(tip);
      setToolTip.call(this, tip);
    };
    Tray.prototype.setContextMenu = function keep(this: Electron.Tray, menu: Electron.Menu | null) {
      kept.menu = menu;
      setContextMenu.call(this, menu);
    };
  });
  const lastTip = () =>
    app.evaluate(() => (globalThis as unknown as { tray: TrayShown }).tray.tips.at(-1) ?? null);
  const menuLines = () =>
    app.evaluate(() =>
      (globalThis as unknown as { tray: TrayShown }).tray.menu?.items.map(({ label }) => label),
    );
  await connect(page, server, page.getByRole('button', { name: 'Connect to a server' }));
  await edit(page, { name: 'Prague & Brno', group: '', colour: 'none' });
  await expect.poll(lastTip, { timeout: 30_000 }).toBe('Strongroom: all is well');
  expect(await menuLines()).toEqual(['all is well', 'Prague && Brno: well', '', 'Show Strongroom', 'Quit']);
  await page.getByRole('button', { name: 'All servers' }).click();
  await app.evaluate(() => {
    (globalThis as unknown as { tray: TrayShown }).tray.menu?.items[1]?.click();
  });
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await backUp(page, join(work(), 'not there'));
  await expect.poll(lastTip, { timeout: 30_000 }).toBe('Strongroom: something needs a look');
  await server.kill();
  await expect.poll(lastTip, { timeout: 30_000 }).toBe('Strongroom: a server is lost');
  expect((await menuLines())?.[1]).toBe('Prague && Brno: not reachable');
});
