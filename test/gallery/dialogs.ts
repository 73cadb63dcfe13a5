import { expect, type Page } from '@playwright/test';
import { en } from '../../renderer/texts/en/index.ts';
import type { Album } from './album.ts';

interface Opener {
  readonly section: string;
  readonly tab?: string;
  /** Select the first row before. */
  readonly isOfRow?: boolean;
  readonly button: string | RegExp;
}

const openers: readonly Opener[] = [
  { section: 'Tasks', button: 'New backup' },
  { section: 'Copies', isOfRow: true, button: 'Restore…' },
  { section: 'Copies', isOfRow: true, button: 'Keep until…' },
  { section: 'Copies', isOfRow: true, button: 'Delete…' },
  { section: 'Strategies', button: 'New strategy' },
  { section: 'Strategies', isOfRow: true, button: 'Edit…' },
  { section: 'Strategies', isOfRow: true, button: 'Delete…' },
  { section: 'Strategy rules', button: 'New rule' },
  { section: 'Pools', button: 'New pool' },
  { section: 'Pools', isOfRow: true, button: 'Edit…' },
  { section: 'Pools', isOfRow: true, button: 'Delete…' },
  { section: 'Storages', button: 'New storage' },
  { section: 'Storages', tab: 'Block devices', button: 'New block device' },
  { section: 'Media servers', isOfRow: true, button: 'Edit…' },
  { section: 'Bandwidth', button: 'New limit' },
  { section: 'Dynamic groups', button: 'New group' },
  { section: 'Dynamic groups', isOfRow: true, button: 'Add pool…' },
  { section: 'Users', button: 'New user' },
  { section: 'Configuration', button: 'Change service_window_start' },
  { section: 'Directory', button: 'Change connection…' },
  { section: 'Directory', button: 'Give a group a role…' },
];

/** The main dialogs, each as it opens. */
export async function drawDialogs(page: Page, album: Album): Promise<void> {
  const links = page.getByRole('navigation', { name: 'Sections' });
  for (const { section, tab, isOfRow = false, button } of openers) {
    await links.getByRole('link', { name: section, exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible();
    await page
      .getByRole('tab', { name: tab ?? 'List', exact: true })
      .or(page.getByRole('heading', { level: 1 }))
      .first()
      .click();
    if (isOfRow) await page.locator('[role="grid"] [role="row"]:has([role="gridcell"])').first().click();
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await drawDialog(page, album, `${section}, ${button}`);
  }
  for (const [name, keys] of [
    ['Go to anything', 'Control+k'],
    ['Keyboard', '?'],
    ['Preferences', 'Control+,'],
  ] as const) {
    await page.keyboard.press(keys);
    await drawDialog(page, album, name);
  }
  await page
    .getByRole('navigation', { name: 'Connections' })
    .getByRole('button', { name: 'Add connection' })
    .click();
  await drawDialog(page, album, 'Connect to a server');
}

async function drawDialog(page: Page, album: Album, title: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  await expect(dialog.getByText(en.strategies.preview.asking)).toBeHidden();
  await album.draw(page, 'Dialogs', title);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
}
