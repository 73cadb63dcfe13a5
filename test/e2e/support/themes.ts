import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { screenshot } from './app.ts';

/** A picture in each theme, and what the rules of accessibility find there. */
export async function inBothThemes(page: Page, name: string): Promise<void> {
  for (const theme of ['dark', 'light'] as const) {
    await page.evaluate((wanted) => {
      document.documentElement.dataset.theme = wanted;
    }, theme);
    await screenshot(page, `${name}-${theme}`);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target }) => `${id} ${target.join(' ')}`),
    );
    expect(found, `${name}, ${theme}`).toEqual([]);
  }
}
