import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { backUp, connect, edit, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { serve, launch, work } = manyServers();

test('Go to anything finds what each server has, and a mute one holds up no other (case 34)', async () => {
  test.setTimeout(240_000);
  const [prague, lab] = [await serve('prague'), await serve('lab')];
  const folder = join(work(), 'quarterly figures');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.txt'), 'x');
  const { page } = await launch('home');
  const side = page.getByRole('navigation', { name: 'Connections' });
  await connect(page, prague, page.getByRole('button', { name: 'Connect to a server' }));
  await edit(page, { name: 'Prague', group: '', colour: 'none' });
  await backUp(page, folder);
  await connect(page, lab, side.getByRole('button', { name: 'Add connection' }));
  await edit(page, { name: 'Lab', group: '', colour: 'none' });
  await backUp(page, folder);
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Copies' }).click();
  await expect(page.getByRole('grid', { name: 'Copies' })).toContainText('quarterly', { timeout: 60_000 });

  const dialog = page.getByRole('dialog', { name: 'Go to anything' });
  const box = dialog.getByRole('combobox', { name: 'Search everything' });
  await page.keyboard.press('Control+k');
  await inBothThemes(page, 'search-empty');
  await box.fill('quarterly');
  const found = (server: string) => dialog.getByRole('group', { name: new RegExp(`^${server}`) });
  for (const server of ['Prague', 'Lab']) {
    await expect(found(server).getByRole('option')).toHaveCount(2, { timeout: 20_000 });
    await expect(
      found(server).getByRole('option', { name: /^Backup urgent of .*quarterly figures task 1, Done/ }),
    ).toBeVisible();
    await expect(found(server).getByRole('option', { name: /^quarterly figures copy 1 of/ })).toBeVisible();
  }
  await inBothThemes(page, 'search-found');

  lab.child.kill('SIGSTOP');
  await box.fill('quarterly figures');
  await expect(found('Prague').getByRole('option')).toHaveCount(2);
  await expect(found('Lab')).toContainText('searching…');
  await expect(found('Lab')).toContainText('no answer within 6 s', { timeout: 15_000 });
  await inBothThemes(page, 'search-mute');
  await found('Prague')
    .getByRole('option', { name: /copy 1 of/ })
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Copies' })).toBeVisible();
  await expect(page.getByRole('searchbox', { name: 'Search Copies' })).toHaveValue('quarterly figures');
  await expect(page.getByRole('grid', { name: 'Copies' }).getByRole('row', { selected: true })).toContainText(
    'quarterly',
  );

  await page.keyboard.press('Control+k');
  await box.fill('blocks in which data travel');
  await inBothThemes(page, 'search-setting');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Configuration' })).toBeVisible();
  await expect(page.getByText('file_transfer_block_size')).toBeVisible();
});
