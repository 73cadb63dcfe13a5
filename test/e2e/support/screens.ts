import { expect, type Locator, type Page } from '@playwright/test';

/** Opens a section of the chosen connection and waits until it is there. */
export async function goTo(page: Page, section: string): Promise<void> {
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: section, exact: true }).click({ timeout: 60_000 });
  await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible({ timeout: 30_000 });
}

/** A view of a screen that has several. */
export async function openTab(page: Page, tab: string | RegExp, heading: string): Promise<void> {
  await page.getByRole('tab', { name: tab }).click();
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible({ timeout: 30_000 });
}

/** The dialog that a button opens; it has to be gone after the work. */
export async function inDialog(
  page: Page,
  open: Locator,
  title: string | RegExp,
  work: (dialog: Locator) => Promise<void>,
): Promise<void> {
  await open.click();
  const dialog = page.getByRole('dialog', { name: title });
  await work(dialog);
  await expect(dialog).toBeHidden({ timeout: 30_000 });
}

export function rows(page: Page, grid: string, text: string | RegExp): Locator {
  return page.getByRole('grid', { name: grid, exact: true }).getByRole('row').filter({ hasText: text });
}

/** Selects one row and changes it by its dialog, which has to save. */
export async function change(
  page: Page,
  row: Locator,
  title: string | RegExp,
  work: (dialog: Locator) => Promise<void>,
): Promise<void> {
  await row.click();
  await inDialog(page, page.getByRole('button', { name: 'Edit…', exact: true }), title, async (dialog) => {
    await work(dialog);
    await dialog.getByRole('button', { name: 'Save' }).click();
  });
}

/** Selects one row and deletes it, after what the dialog says of it. */
export async function remove(page: Page, row: Locator, title: string, says?: string | RegExp): Promise<void> {
  await row.click();
  await inDialog(page, page.getByRole('button', { name: 'Delete…', exact: true }), title, async (dialog) => {
    if (says !== undefined) await expect(dialog).toContainText(says);
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  });
  await expect(row).toHaveCount(0);
}
