import { expect, type Page } from '@playwright/test';
import type { Album } from './album.ts';
import { firstRow, goTo, type Language, settled, texts, viewTabs, type Words } from './walk.ts';

interface Opener {
  readonly section: string;
  readonly title: string;
  /** Which of its views, when it is not the first. */
  readonly view?: number;
  /** Select the first row before. */
  readonly isOfRow?: boolean;
  readonly button: (words: Words) => string;
}

const openers: readonly Opener[] = [
  { section: 'Tasks', title: 'New backup', button: ({ tasks }) => tasks.newBackup },
  { section: 'Copies', title: 'Restore', isOfRow: true, button: ({ copies }) => copies.restore },
  { section: 'Copies', title: 'Keep until', isOfRow: true, button: ({ copies }) => copies.keepUntilAsk },
  {
    section: 'Copies',
    title: 'Copy to another pool',
    isOfRow: true,
    button: ({ transfer }) => transfer.copy.ask,
  },
  {
    section: 'Copies',
    title: 'Move to another pool',
    isOfRow: true,
    button: ({ transfer }) => transfer.move.ask,
  },
  { section: 'Copies', title: 'Delete copies', isOfRow: true, button: ({ common }) => common.deleteAsk },
  { section: 'Strategies', title: 'New strategy', button: ({ strategies }) => strategies.create },
  { section: 'Strategies', title: 'Edit strategy', isOfRow: true, button: ({ common }) => common.edit },
  {
    section: 'Strategies',
    title: 'Delete strategies',
    isOfRow: true,
    button: ({ common }) => common.deleteAsk,
  },
  { section: 'Strategy rules', title: 'New rule', button: ({ strategyRules }) => strategyRules.create },
  { section: 'Pools', title: 'New pool', button: ({ pools }) => pools.newPool },
  { section: 'Pools', title: 'Edit pool', isOfRow: true, button: ({ common }) => common.edit },
  { section: 'Pools', title: 'Delete pools', isOfRow: true, button: ({ common }) => common.deleteAsk },
  { section: 'Storages', title: 'New storage', button: ({ storages }) => storages.local.newStorage },
  {
    section: 'Storages',
    title: 'New block device',
    view: 1,
    button: ({ storages }) => storages.block.newDevice,
  },
  {
    section: 'Media servers',
    title: 'Edit media server',
    isOfRow: true,
    button: ({ common }) => common.edit,
  },
  { section: 'Bandwidth', title: 'New limit', button: ({ bandwidth }) => bandwidth.create },
  { section: 'Dynamic groups', title: 'New group', button: ({ dynamicGroups }) => dynamicGroups.create },
  {
    section: 'Dynamic groups',
    title: 'Add a pool',
    isOfRow: true,
    button: ({ dynamicGroups }) => dynamicGroups.details.add,
  },
  { section: 'Users', title: 'New user', button: ({ users }) => users.newUser },
  {
    section: 'Configuration',
    title: 'Change a setting',
    button: ({ configuration }) => configuration.changeOf.replace('{{name}}', 'service_window_start'),
  },
  { section: 'Directory', title: 'Directory connection', button: ({ directory }) => directory.change },
  {
    section: 'Directory',
    title: 'Give a group a role',
    button: ({ directory }) => directory.mappings.giveAsk,
  },
];

const keys = [
  ['Go to anything', 'Control+k'],
  ['Keyboard', '?'],
  ['Preferences', 'Control+,'],
] as const;

/** The main dialogs, each as it opens. */
export async function drawDialogs(
  page: Page,
  album: Album,
  chapter: string,
  language: Language,
): Promise<void> {
  const words = texts[language];
  const draw = async (title: string): Promise<void> => {
    const dialog = page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    await settled(page);
    await expect(dialog.getByText(words.strategies.preview.asking)).toBeHidden();
    await album.draw(page, chapter, title);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  };
  for (const { section, title, view, isOfRow = false, button } of openers) {
    await goTo(page, section, language);
    if (view !== undefined) await viewTabs(page).nth(view).click();
    if (isOfRow) await firstRow(page).click();
    await page
      .getByRole('button', { name: button(words), exact: true })
      .first()
      .click();
    await draw(title);
  }
  for (const [title, key] of keys) {
    await page.keyboard.press(key);
    await draw(title);
  }
  const { connections, addConnection } = words.shell.navigation;
  await page
    .getByRole('navigation', { name: connections })
    .getByRole('button', { name: addConnection })
    .click();
  await draw('Connect to a server');
}
