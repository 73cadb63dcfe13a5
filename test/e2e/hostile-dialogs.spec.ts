import { expect, test } from '@playwright/test';
import { sections } from '../../renderer/features/registry.ts';
import { ask, callerOf } from '../gallery/bridge.ts';
import { fill } from '../gallery/fill.ts';
import { screenshot } from './support/app.ts';
import { forEachDialogHere, forEachView, type Visit } from './support/every-dialog.ts';
import { overflowFindings } from './support/findings.ts';
import { startFront } from './support/front.ts';
import { lookFor, poisoned } from './support/hostile.ts';
import { connect, manyServers } from './support/servers.ts';
import { settled, speak } from './support/walk.ts';

const { serve, launch, work } = manyServers();

/** What decides which acts and dialogs there are; other words instead of these are tried on the screens themselves. */
const kept = /^(pool_type|resource_type|task_type|status|state)$/;

/** A server that has something of each kind, so that there is a dialog for each, and a page for each row. */
test('every dialog and every page of an object shows the names of a hostile server as text, and fits', async () => {
  test.setTimeout(300_000);
  const front = await startFront((await (await serve('prague')).ready).url);
  try {
    const { page } = await launch('home');
    await page.setViewportSize({ width: 1280, height: 800 });
    await speak(page, 'en');
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(error.message));
    const behind = { ready: Promise.resolve({ url: front.address }) };
    await connect(page, behind, page.getByRole('button', { name: 'Connect to a server' }));
    const [connection] = await ask(page, 'connections.list');
    if (connection === undefined) throw new Error('there is no connection');
    await fill(callerOf(page, connection.id), { work: work() });
    front.change = (asked, text) => poisoned(asked, text, kept);
    await page.keyboard.press('F5');

    const wrong: string[] = [];
    const look = async (where: string) => {
      wrong.push(...(await lookFor(page)).map((what) => `${where}: ${what}`));
      wrong.push(...(await overflowFindings(page, where)));
      if ((await page.getByText('This part of the window failed').count()) > 0)
        wrong.push(`${where}: a part failed`);
    };
    const visit = async ({ place, title }: Visit) => {
      await look(`${place}, ${title.slice(0, 60)}`);
      await screenshot(page, `hostile-dialog-${slug(`${place} ${title}`)}`);
    };
    for (const { id, localOnly } of sections) {
      if (localOnly) continue;
      await forEachView(page, id, 'en', async (place) => {
        await look(place);
        await forEachDialogHere(page, place, visit);
        const list = page.locator('main .grid-scroll, main .content-main [role="tree"]').first();
        if (!(await list.isVisible())) return;
        await list.focus();
        await page.keyboard.press('Enter');
        await settled(page);
        if (!(await page.locator('.details-page').isVisible())) return;
        await look(`${place}, page`);
        await screenshot(page, `hostile-page-${slug(place)}`);
        await page.keyboard.press('Escape');
        await expect(list).toBeVisible();
      });
    }
    expect(wrong).toEqual([]);
    expect(failures).toEqual([]);
  } finally {
    front.close();
  }
});

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 80);
