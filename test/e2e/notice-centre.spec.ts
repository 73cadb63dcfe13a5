import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { backUp, connect, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { serve, launch, work } = manyServers();

test('the bell keeps what was told and what is new on a server, and leads there by keyboard', async () => {
  const server = await serve('prague');
  const { page } = await launch('home');
  await connect(page, server, page.getByRole('button', { name: 'Connect to a server' }));
  await page.getByRole('button', { name: 'Notices', exact: true }).click();
  const centre = page.getByRole('dialog', { name: 'Notices' });
  await inBothThemes(page, 'notices-empty');
  await page.keyboard.press('Escape');
  await expect(centre).toBeHidden();

  await backUp(page, join(work(), 'not there'));
  const bell = page.getByRole('button', { name: 'Notices, 1 unread' });
  await expect(bell).toBeVisible({ timeout: 60_000 });
  await bell.click();
  const line = centre.getByRole('listitem').filter({ hasText: 'Task failed on' });
  await expect(line).toContainText('not there');
  await inBothThemes(page, 'notices-full');
  await line.getByRole('button', { name: 'Show' }).focus();
  await page.keyboard.press('Enter');
  await expect(centre).toBeHidden();
  await expect(page.getByRole('region', { name: 'Task details' })).toContainText('not there');
  await expect(page.getByRole('button', { name: 'Notices', exact: true })).toBeVisible();
});
