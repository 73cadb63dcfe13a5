import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { sections } from '../../renderer/features/registry.ts';
import { launchApp } from '../e2e/support/app.ts';
import {
  chooseRow,
  forEachDialogHere,
  forEachDialogOfWindow,
  forEachView,
  type Visit,
} from '../e2e/support/every-dialog.ts';
import { axeFindings, keyboardFindings, overflowFindings } from '../e2e/support/findings.ts';
import { type Front, startFront } from '../e2e/support/front.ts';
import { adminPassword, connect, edit } from '../e2e/support/servers.ts';
import { goTo, type Language, settled, speak, texts, viewTabs } from '../e2e/support/walk.ts';
import { spawnBackend } from '../support/backend.ts';
import { type Album, openAlbum } from './album.ts';
import { ask, callerOf } from './bridge.ts';
import { fill } from './fill.ts';

const nights = 3;
const size = { width: 1280, height: 800 };

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

    await fill(callerOf(page, 'local'), { work, past: { nights, setClock } });
    await drawSections(page, album, 'Full', 'en');
    await drawViews(page, album, 'Views', 'en');
    const findings = [...(await drawDialogs(page, album, 'Dialogs', 'en'))];

    const side = page.getByRole('navigation', { name: 'Connections' });
    const front = await startFront((await other.ready).url);
    const behind = { ready: Promise.resolve({ url: front.address }) };
    await connect(page, behind, side.getByRole('button', { name: 'Add connection' }));
    await edit(page, { name: 'Prague', group: 'Offices', colour: 'blue' });
    await drawErrors(page, album, front);
    await drawTroubles(page, album, async () => {
      front.close();
      await other.kill();
    });

    await side.getByRole('button', { name: /^This computer/ }).click();
    await speak(page, 'ru');
    await drawSections(page, album, 'Russian', 'ru');
    await drawViews(page, album, 'Russian, views', 'ru');
    findings.push(...(await drawDialogs(page, album, 'Russian, dialogs', 'ru')));

    await speak(page, 'en');
    await goTo(page, 'Tasks', 'en');
    await ask(page, 'localBackend.stop');
    await expect(side.getByRole('button', { name: 'This computer, stopped' })).toBeVisible();
    await album.draw(page, 'Trouble', 'The server of this computer is stopped');
    // The pictures are drawn all the same.
    expect(findings).toEqual([]);
  } finally {
    process.stdout.write(`${album.bind()}\n`);
    await app.close();
    await other.kill();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** Every section, with the details of its first row where there is one. */
async function drawSections(page: Page, album: Album, chapter: string, language: Language): Promise<void> {
  for (const { id } of sections) {
    await goTo(page, id, language);
    await chooseRow(page, language);
    await album.draw(page, chapter, id);
  }
}

/**
 * Every dialog, as it opens; answers what the rules of accessibility, the keyboard and the edges of the window find wrong
 * with it.
 */
async function drawDialogs(
  page: Page,
  album: Album,
  chapter: string,
  language: Language,
): Promise<readonly string[]> {
  const { asking } = texts[language].strategies.preview;
  const part = '[role="dialog"]';
  const findings: string[] = [];
  const visit = async ({ place, title, dialog }: Visit): Promise<void> => {
    await expect(dialog.getByText(asking)).toBeHidden();
    await album.draw(page, chapter, `${place}: ${title}`);
    const where = `${chapter}, ${place}, ${title}`;
    findings.push(...(await axeFindings(page, where, { part })));
    findings.push(...(await overflowFindings(page, where)));
    findings.push(...(await keyboardFindings(page, where, part)));
  };
  for (const { id } of sections) {
    await forEachView(page, id, language, async (place) => {
      findings.push(...(await forEachDialogHere(page, place, visit)));
    });
  }
  await forEachDialogOfWindow(page, language, visit);
  return findings;
}

/** Every section of a server that fails at whatever it is asked. */
async function drawErrors(page: Page, album: Album, front: Front): Promise<void> {
  front.instead = ({ path }, answer) => {
    if (/^\/(auth\/(?!ldap)|extensions|openapi)/.test(path)) return false;
    answer.writeHead(500, { 'content-type': 'application/json' });
    answer.end(
      JSON.stringify({ data: null, errors: {}, is_error: true, message: 'The database is locked.' }),
    );
    return true;
  };
  await page.keyboard.press('F5');
  for (const { id, localOnly } of sections) {
    if (localOnly) continue;
    await goTo(page, id, 'en');
    await album.draw(page, 'Error', id);
  }
  front.instead = () => false;
}

/** Views of a section that its tabs lead to, each with its first object, and tasks of several kinds. */
async function drawViews(page: Page, album: Album, chapter: string, language: Language): Promise<void> {
  for (const [section, titles] of [
    ['Clients', ['Client groups', 'Waiting']],
    ['Copies', ['Retention']],
    ['Strategies', ['Week']],
    ['Storages', ['Block devices']],
    ['Tape libraries', ['Slot board', 'Cartridges', 'Simulated libraries']],
    ['Media servers', ['Pools and storages']],
    ['Users', ['Auditors']],
  ] as const) {
    await goTo(page, section, language);
    for (const [index, title] of titles.entries()) {
      await viewTabs(page)
        .nth(index + 1)
        .click();
      await settled(page);
      await chooseRow(page, language);
      await album.draw(page, chapter, title);
    }
  }
  // What Enter makes of a row and of a line: their own pages.
  for (const section of ['Media servers', 'Pools', 'Strategies'] as const) {
    await goTo(page, section, language);
    const list = page.locator('main .grid-scroll');
    await list.first().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect(page.locator('.details-page')).toBeVisible();
    await settled(page);
    await album.draw(page, chapter, `${section}, page of one`);
    await page.keyboard.press('Escape');
    await expect(list.first()).toBeVisible();
  }
  await goTo(page, 'Tasks', language);
  const { tasks } = texts[language].status;
  for (const [title, word] of [
    ['A task that failed', tasks.error],
    ['A task at work', tasks.transmission],
  ] as const) {
    await page.getByRole('grid').getByRole('row').filter({ hasText: word }).first().click();
    await settled(page);
    await album.draw(page, chapter, title);
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
