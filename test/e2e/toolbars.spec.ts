import { expect, type Page, test } from '@playwright/test';
import { backUp, manyServers } from './support/servers.ts';

const { launch, work } = manyServers();

/** The words of a language that lead from screen to screen, and how many filters each has. */
const languages = [
  {
    navigation: 'Sections',
    sections: [
      ['Tasks', 2],
      ['Copies', 1],
      ['Local backend', 0],
    ],
  },
  {
    navigation: 'Разделы',
    sections: [
      ['Задачи', 2],
      ['Копии', 1],
      ['Встроенный сервер', 0],
    ],
  },
] as const;

/** What the toolbar of the screen has wrong: acts below one another, and choices whose words are cut. */
function faults(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const toolbar = document.querySelector('main .toolbar');
    if (toolbar === null) return ['no toolbar'];
    const tops = [...toolbar.querySelectorAll('h1, button, select, input')]
      .map((part) => part.getBoundingClientRect())
      .filter(({ height }) => height > 0)
      .map(({ top, height }) => Math.round(top + height / 2));
    const isOneLine = Math.max(...tops) - Math.min(...tops) < 16;
    const cut = [...toolbar.querySelectorAll('select')].filter((select) => {
      // The width that its chosen words would take by themselves.
      const free = select.cloneNode(true) as HTMLSelectElement;
      free.value = select.value;
      free.style.cssText =
        'position: absolute; width: auto; min-width: 0; max-width: none; field-sizing: content; visibility: hidden';
      select.after(free);
      const wanted = free.getBoundingClientRect().width;
      free.remove();
      return wanted > select.getBoundingClientRect().width + 0.5;
    });
    return [
      ...(isOneLine ? [] : ['more than one line']),
      ...cut.map((select) => `cut: ${select.selectedOptions[0]?.text}`),
    ];
  });
}

test('toolbars are one line and cut no words at 1,280 pixels, in both languages', async () => {
  const { page } = await launch('home');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Use this computer' }).click();
  // A list without a row has no filters.
  await backUp(page, work());
  const found: string[] = [];
  for (const { navigation, sections } of languages) {
    for (const [section, filters] of sections) {
      await page
        .getByRole('navigation', { name: navigation })
        .getByRole('link', { name: section, exact: true })
        .click();
      await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible();
      await expect(page.locator('main .toolbar select')).toHaveCount(filters);
      for (const fault of await faults(page)) found.push(`${section}: ${fault}`);
    }
    if (navigation === 'Sections') {
      await page.keyboard.press('Control+,');
      const dialog = page.getByRole('dialog', { name: 'Preferences' });
      await dialog.getByLabel('Language').selectOption({ label: 'Русский' });
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByRole('navigation', { name: 'Разделы' })).toBeVisible();
    }
  }
  expect(found).toEqual([]);
});
