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
  await inBothThemes(page, 'preferences');
  await preferences.getByRole('button', { name: 'Save' }).click();
  await expect(preferences).toBeHidden();
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
