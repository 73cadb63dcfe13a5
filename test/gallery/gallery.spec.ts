import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import type { Bridge } from '../../contract/bridge.ts';
import { sections } from '../../renderer/features/registry.ts';
import { en } from '../../renderer/texts/en/index.ts';
import { ru } from '../../renderer/texts/ru/index.ts';
import { launchApp } from '../e2e/support/app.ts';
import { adminPassword, connect, edit } from '../e2e/support/servers.ts';
import { spawnBackend } from '../support/backend.ts';
import { type Album, openAlbum } from './album.ts';
import { ask, callerOf } from './bridge.ts';
import { drawDialogs } from './dialogs.ts';
import { fill, nights } from './fill.ts';

const size = { width: 1280, height: 800 };
const texts = { en, ru } as const;
type Language = keyof typeof texts;

/** Pictures of a window at work, for people to look at: real servers, filled through the API. */
test('every screen is drawn', async () => {
  const work = mkdtempSync(join(tmpdir(), 'gallery-'));
  const clock = join(work, 'clock');
  const setClock = (aheadMs: number) => writeFileSync(clock, String(aheadMs));
  setClock(-nights * 86_400_000);
  const album = openAlbum();
  const other = spawnBackend({
    dataDir: join(work, 'other'),
    env: { STRONGROOM_ADMIN_PASSWORD: adminPassword },
  });
  const app = await launchApp({ home: join(work, 'home'), env: { STRONGROOM_CLOCK_FILE: clock } });
  try {
    const { page } = app;
    await page.setViewportSize(size);
    await speak(page, 'en');
    await expect(page.getByRole('heading', { name: 'Welcome to Strongroom' })).toBeVisible();
    await album.draw(page, 'First run', 'Welcome');
    await page.getByRole('button', { name: 'Use this computer' }).click();
    await drawSections(page, album, 'Empty', 'en');

    await fill(callerOf(page, 'local'), { work, setClock });
    await drawSections(page, album, 'Full', 'en');
    await drawViews(page, album);
    await drawDialogs(page, album);

    const side = page.getByRole('navigation', { name: 'Connections' });
    await connect(page, other, side.getByRole('button', { name: 'Add connection' }));
    await edit(page, { name: 'Prague', group: 'Offices', colour: 'blue' });
    await drawTroubles(page, album, async () => other.kill());

    await side.getByRole('button', { name: /^This computer/ }).click();
    await speak(page, 'ru');
    await drawSections(page, album, 'Russian', 'ru');

    await speak(page, 'en');
    await goTo(page, 'Tasks', 'en');
    await ask(page, 'localBackend.stop');
    await expect(side.getByRole('button', { name: 'This computer, stopped' })).toBeVisible();
    await album.draw(page, 'Trouble', 'The server of this computer is stopped');
  } finally {
    process.stdout.write(`${album.bind()}\n`);
    await app.close();
    await other.kill();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** The page is loaded anew where that is another language, so that its answer may be lost. */
async function speak(page: Page, language: Language): Promise<void> {
  await page.evaluate((chosen) => {
    void (window as unknown as { readonly bridge: Bridge }).bridge.invoke('settings.set', {
      language: chosen,
    });
  }, language);
  await expect(page.locator(`html[lang="${language}"]`)).toBeAttached();
}

async function goTo(page: Page, section: string, language: Language): Promise<void> {
  const { navigation, sections: names } = texts[language].shell;
  const name = Reflect.get(names, section) as string;
  const link = page
    .getByRole('navigation', { name: navigation.sections })
    .getByRole('link', { name, exact: true });
  await link.click();
  await expect(link).toHaveAttribute('aria-current', 'page');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await settled(page);
}

async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
}

/** Every section, with the details of its first row where there is one. */
async function drawSections(page: Page, album: Album, chapter: string, language: Language): Promise<void> {
  for (const { id } of sections) {
    await goTo(page, id, language);
    const row = page.locator('[role="grid"] [role="row"]:has([role="gridcell"])').first();
    if (await row.isVisible()) {
      await row.click();
      await settled(page);
    }
    await album.draw(page, chapter, id);
  }
}

/** Views of a section that its tabs lead to. */
async function drawViews(page: Page, album: Album): Promise<void> {
  for (const section of ['Strategies', 'Copies', 'Storages']) {
    await goTo(page, section, 'en');
    const tabs = page.getByRole('main').getByRole('tablist').first();
    const names = await tabs.getByRole('tab').allTextContents();
    for (const name of names.slice(1)) {
      await tabs.getByRole('tab', { name, exact: true }).click();
      await settled(page);
      await album.draw(page, 'Views', `${section}, ${name}`);
    }
    await tabs.getByRole('tab').first().click();
  }
  await goTo(page, 'Tasks', 'en');
  for (const status of ['Error', 'Execution']) {
    const row = page
      .getByRole('grid', { name: 'Tasks' })
      .getByRole('row')
      .filter({ hasText: status })
      .first();
    if (!(await row.isVisible())) continue;
    await row.click();
    await settled(page);
    await album.draw(page, 'Views', `Tasks, ${status}`);
  }
}

/** A server that goes away while it is looked at, and one that wants to know who is there. */
async function drawTroubles(page: Page, album: Album, kill: () => Promise<unknown>): Promise<void> {
  const side = page.getByRole('navigation', { name: 'Connections' });
  const all = side.getByRole('button', { name: 'All servers' });
  await all.click();
  await expect(page.getByRole('table', { name: 'Servers' })).toBeVisible();
  await settled(page);
  await album.draw(page, 'Full', 'All servers');
  await side.getByRole('button', { name: /^Prague/ }).click();
  const id = (await ask(page, 'connections.list')).find(({ name }) => name === 'Prague')?.id;
  if (id === undefined) throw new Error('there is no connection Prague');
  await ask(page, 'connections.signOut', { connectionId: id });
  await expect(side.getByRole('button', { name: 'Prague, needs sign-in' })).toBeVisible();
  await album.draw(page, 'Trouble', 'Sign-in is needed');
  await ask(page, 'connections.signIn', { connectionId: id, password: adminPassword, remember: false });
  await goTo(page, 'Tasks', 'en');
  await goTo(page, 'Pools', 'en');
  await kill();
  await expect(side.getByRole('button', { name: 'Prague, not reachable' })).toBeVisible();
  await album.draw(page, 'Trouble', 'The server went away, a list that was seen');
  for (const section of ['Overview', 'Configuration']) {
    await page
      .getByRole('navigation', { name: 'Sections' })
      .getByRole('link', { name: section, exact: true })
      .click();
    await settled(page);
    await album.draw(page, 'Trouble', `The server is away, ${section}`);
  }
  await all.click();
  await album.draw(page, 'Trouble', 'All servers, one away');
}
