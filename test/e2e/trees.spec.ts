import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { connect, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { serve, launch, work } = manyServers();

test('clients stand under their groups, storages under their pools and servers, by mouse and by keyboard', async () => {
  test.setTimeout(180_000);
  const server = await serve('prague');
  const { page } = await launch('home');
  await connect(page, server, page.getByRole('button', { name: 'Connect to a server' }));
  const goTo = async (section: string) => {
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: section, exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible();
  };

  await goTo('Clients');
  const clients = page.getByRole('tree', { name: 'Clients' });
  const lines = clients.getByRole('treeitem');
  const group = lines.filter({ hasText: /1 client/ });
  await expect(group).toHaveAttribute('aria-expanded', 'true');
  await expect(lines).toHaveCount(2);
  await clients.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  await expect(group).toHaveAttribute('aria-expanded', 'false');
  await expect(lines).toHaveCount(1);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  const details = page.getByRole('region', { name: 'Client details' });
  await expect(details).toContainText('Last heard of');
  await inBothThemes(page, 'tree-clients');
  await page.getByRole('button', { name: 'Edit…' }).click();
  const form = page.getByRole('dialog', { name: /^Edit client/ });
  await form.getByLabel('Description').fill('the one in the cellar');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();
  await expect(details).toContainText('the one in the cellar');
  await page.getByRole('searchbox', { name: 'Search Clients' }).fill('no such host');
  await expect(page.getByText('No client has this in its name.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(lines).toHaveCount(2);

  // A second pool with a folder of its own, and one without any.
  for (const pool of ['Cellar', 'Bare']) {
    await goTo('Pools');
    await page.getByRole('button', { name: 'New pool' }).click();
    const dialog = page.getByRole('dialog', { name: 'New pool' });
    await dialog.getByLabel('Name').fill(pool);
    await dialog.getByRole('button', { name: 'Create pool' }).click();
    await expect(dialog).toBeHidden();
  }
  const folder = join(work(), 'cellar');
  mkdirSync(folder);
  await goTo('Storages');
  await page.getByRole('button', { name: 'New storage' }).click();
  const storage = page.getByRole('dialog', { name: 'New storage' });
  await storage.getByLabel('Path').fill(folder);
  await storage.getByLabel('Pool').selectOption('Cellar');
  await storage.getByRole('button', { name: 'Add storage' }).click();
  await expect(storage).toBeHidden();
  await page.getByRole('tab', { name: 'Block devices' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Block devices' })).toBeVisible();

  await goTo('Media servers');
  await page.getByRole('tab', { name: 'Pools and storages' }).click();
  const tree = page.getByRole('tree', { name: 'Storages by media server and pool' });
  const line = (name: string | RegExp) => tree.getByRole('treeitem', { name });
  await expect(line(/3 pools/)).toHaveAttribute('aria-level', '1');
  await expect(line(/^Bare/)).toContainText('no storage');
  await line(/^Cellar/).click();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await expect(line(folder)).toHaveAttribute('aria-selected', 'true');
  await expect(line(folder)).toContainText(/Online, .* of .* used/);
  await inBothThemes(page, 'tree-storages');
  // Each line has a page of its own, a server and a pool too.
  await page.keyboard.press('Enter');
  const branch = page.getByRole('region', { name: 'Details' });
  await expect(branch.getByRole('heading')).toHaveText(folder);
  await expect(tree).toBeHidden();
  await inBothThemes(page, 'tree-storages-page');
  await page.keyboard.press('Escape');
  await expect(line(folder)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(branch.getByText('Role')).toBeVisible();
  await page.keyboard.press('Escape');
  await line(folder).click();
  await page.setViewportSize({ width: 1024, height: 700 });
  await inBothThemes(page, 'tree-storages-narrow');
  await page.getByRole('button', { name: 'Show in “Storages”' }).click();
  await expect(
    page.getByRole('grid', { name: 'Storages' }).getByRole('row', { selected: true }),
  ).toContainText(folder);
});
