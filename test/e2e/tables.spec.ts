import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import type { LaunchedApp } from './support/app.ts';
import { connect, manyServers } from './support/servers.ts';

const { serve, launch } = manyServers();

/** As a person quits: the menu, the tray and the system's shutdown come to this too. */
async function quit({ app }: LaunchedApp): Promise<void> {
  const ended = new Promise((resolve) => app.process().once('exit', resolve));
  await app.evaluate(({ app: electron }) => electron.quit()).catch(() => undefined);
  await ended;
}

const header = (page: Page, name: string) => page.getByRole('columnheader', { name });

test('a table is after a quit as it was left: order, columns, search, filter and selected row (case 45)', async () => {
  test.setTimeout(180_000);
  const server = await serve('prague');
  const first = await launch('home');
  let { page } = first;
  await connect(page, server, page.getByRole('button', { name: 'Connect to a server' }));
  const goTo = (section: string) =>
    page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: section }).click();
  await goTo('Tasks');
  await page.getByRole('combobox', { name: 'Status' }).selectOption('error');
  await page.getByRole('combobox', { name: 'Type' }).selectOption('restore');
  await goTo('Pools');
  const pools = () => page.getByRole('grid', { name: 'Pools' });
  await expect(pools().getByRole('row').filter({ hasText: 'Default' })).toHaveCount(1);
  await page.getByRole('button', { name: 'Choose columns' }).click();
  const shown = await page.getByRole('menuitemcheckbox', { checked: true }).allInnerTexts();
  const hidden = shown.at(-1) ?? '';
  await page.getByRole('menuitemcheckbox', { name: hidden }).click();
  await page.keyboard.press('Escape');
  await expect(header(page, hidden)).toHaveCount(0);
  const [name = ''] = await page.getByRole('columnheader').first().allInnerTexts();
  await page.getByRole('columnheader').first().getByRole('button').click();
  await page.getByRole('columnheader').first().getByRole('button').click();
  await expect(header(page, name)).toHaveAttribute('aria-sort', 'descending');
  await page.getByRole('searchbox', { name: 'Search Pools' }).fill('fau');
  await pools().getByRole('row').filter({ hasText: 'Default' }).click();
  // At once: what waits to be written is written at the latest when the window goes.
  await quit(first);

  const second = await launch('home');
  page = second.page;
  await expect(page.getByRole('heading', { level: 1, name: 'Pools' })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('searchbox', { name: 'Search Pools' })).toHaveValue('fau');
  await expect(pools().getByRole('row', { selected: true })).toContainText('Default', { timeout: 20_000 });
  await expect(header(page, name)).toHaveAttribute('aria-sort', 'descending');
  await expect(header(page, hidden)).toHaveCount(0);
  await goTo('Tasks');
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveValue('error');
  await expect(page.getByRole('combobox', { name: 'Type' })).toHaveValue('restore');
  // A refresh keeps it too.
  await page.keyboard.press('F5');
  await expect(page.getByRole('combobox', { name: 'Status' })).toHaveValue('error');
  const kept = JSON.parse(readFileSync(join(second.home, 'settings.json'), 'utf8')).tables;
  expect(Object.keys(kept).filter((key) => key.endsWith('/Pools'))).toHaveLength(1);
});
