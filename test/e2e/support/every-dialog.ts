import { expect, type Locator, type Page } from '@playwright/test';
import { firstRow, goTo, type Language, settled, texts, viewTabs } from './walk.ts';

export interface Visit {
  /** The section, and the view of it where it has several: `Storages 2`. */
  readonly place: string;
  /** What the dialog says that it is. */
  readonly title: string;
  readonly dialog: Locator;
}

/** An act that asks before it does anything ends so; and what makes a new object asks for it first. */
const asks = (button: Element): boolean => {
  const name = (button.getAttribute('aria-label') ?? button.textContent ?? '').trim();
  const isNew = button.classList.contains('button-primary') && button.querySelector('svg') !== null;
  return name.endsWith('…') || isNew;
};

/** Shows each view of a section, with its first object chosen. */
export async function forEachView(
  page: Page,
  section: string,
  language: Language,
  look: (place: string) => Promise<void>,
): Promise<void> {
  await goTo(page, section, language);
  const isTabbed = await page.locator('main .tabbed-screen').count();
  const tabs = isTabbed === 0 ? 1 : await viewTabs(page).count();
  for (let view = 0; view < tabs; view += 1) {
    if (isTabbed > 0) await viewTabs(page).nth(view).click();
    await settled(page);
    await chooseRow(page, language);
    await look(tabs === 1 ? section : `${section} ${view + 1}`);
  }
}

/** A row with which most can be done: a task that has ended, a client rather than its group, else the first. */
export async function chooseRow(page: Page, language: Language): Promise<void> {
  const ended = page
    .locator('main [role="grid"] [role="row"]')
    .filter({ hasText: texts[language].status.tasks.error });
  const leaf = page.locator('main [role="tree"]').getByRole('treeitem', { level: 2 });
  for (const row of [ended.first(), firstRow(page), leaf.first()]) {
    if (!(await row.isVisible())) continue;
    await row.click();
    await settled(page);
    return;
  }
}

/**
 * Opens every dialog that the screen in front leads to, by the keyboard, and closes it by Escape. Buttons that would
 * act at once are left alone. Answers after which of them the focus was lost.
 */
export async function forEachDialogHere(
  page: Page,
  place: string,
  visit: (visit: Visit) => Promise<void>,
): Promise<readonly string[]> {
  const lost: string[] = [];
  // Two buttons of one kind are one visit.
  const seen = new Set<string>();
  const buttons = page.locator('main button:not([aria-disabled="true"])');
  for (let at = 0; at < (await buttons.count()); at += 1) {
    const button = buttons.nth(at);
    if (!(await button.evaluate(asks)) || !(await button.isVisible())) continue;
    const word = (await button.textContent()) ?? '';
    if (seen.has(word)) continue;
    seen.add(word);
    await button.focus();
    await page.keyboard.press('Enter');
    await visitOpened(page, place, visit);
    // Who went into a dialog by a button comes back to it, a task after it has gone.
    const isBack = await button.evaluate(
      (element) =>
        new Promise<boolean>((resolve) => setTimeout(() => resolve(document.activeElement === element))),
    );
    if (!isBack) lost.push(`${place}: the focus is lost after “${word}”`);
  }
  return lost;
}

/** The dialogs of the window itself and of a connection. */
export async function forEachDialogOfWindow(
  page: Page,
  language: Language,
  visit: (visit: Visit) => Promise<void>,
): Promise<void> {
  const words = texts[language];
  for (const key of ['Control+k', '?', 'Control+,']) {
    await page.keyboard.press(key);
    await visitOpened(page, 'Window', visit);
  }
  const { importConnections, exportConnections, openBundle, about } = words.palette.dialogs;
  const palette = page.getByRole('dialog', { name: words.palette.title });
  for (const command of [importConnections, exportConnections, openBundle, about]) {
    await page.keyboard.press('Control+k');
    await palette.getByRole('combobox').fill(command);
    await page.keyboard.press('Enter');
    await expect(palette).toBeHidden();
    await visitOpened(page, 'Window', visit);
  }
  const side = page.getByRole('navigation', { name: words.shell.navigation.connections });
  await side.getByRole('button', { name: words.shell.navigation.addConnection }).focus();
  await page.keyboard.press('Enter');
  await visitOpened(page, 'Window', visit);
  await forEachItem(
    page,
    side.getByRole('button', { name: words.connections.menu.label }),
    'Connection',
    visit,
  );
}

/** Those items of a menu that ask before they act. */
export async function forEachItem(
  page: Page,
  button: Locator,
  place: string,
  visit: (visit: Visit) => Promise<void>,
): Promise<void> {
  const open = async () => {
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menu')).toBeVisible();
  };
  await open();
  const items = page
    .getByRole('menuitem')
    .and(page.locator(':not([data-disabled])'))
    .filter({ hasText: '…' });
  const count = await items.count();
  await page.keyboard.press('Escape');
  for (let at = 0; at < count; at += 1) {
    await open();
    await items.nth(at).press('Enter');
    await visitOpened(page, place, visit);
  }
}

async function visitOpened(page: Page, place: string, visit: (visit: Visit) => Promise<void>): Promise<void> {
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await settled(page);
  await visit({ place, title: (await dialog.getByRole('heading').first().textContent()) ?? '', dialog });
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
}
