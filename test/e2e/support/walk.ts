import { expect, type Locator, type Page } from '@playwright/test';
import type { Bridge } from '../../../contract/bridge.ts';
import { en } from '../../../renderer/texts/en/index.ts';
import { ru } from '../../../renderer/texts/ru/index.ts';

/** What controls are called, by language. */
export const texts = { en, ru } as const;
export type Language = keyof typeof texts;
export type Words = (typeof texts)[Language];

/** The page is loaded anew where that is another language, so that its answer may be lost. */
export async function speak(page: Page, language: Language): Promise<void> {
  await page.evaluate((chosen) => {
    void (window as unknown as { readonly bridge: Bridge }).bridge.invoke('settings.set', {
      language: chosen,
    });
  }, language);
  await expect(page.locator(`html[lang="${language}"]`)).toBeAttached();
}

export async function goTo(page: Page, section: string, language: Language): Promise<void> {
  const { navigation, sections } = texts[language].shell;
  const name = Reflect.get(sections, section) as string;
  const link = page
    .getByRole('navigation', { name: navigation.sections })
    .getByRole('link', { name, exact: true });
  await link.click();
  await expect(link).toHaveAttribute('aria-current', 'page');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
}

/** The first object of the table that is shown. */
export function firstRow(page: Page): Locator {
  return page.locator('[role="grid"] [role="row"]:has([role="gridcell"])').first();
}

/** The tabs that choose a view of the section. */
export function viewTabs(page: Page): Locator {
  return page.getByRole('main').getByRole('tablist').first().getByRole('tab');
}
