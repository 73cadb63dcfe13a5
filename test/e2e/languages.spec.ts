import { type ElectronApplication, expect, type Page, test } from '@playwright/test';
import { screenshot } from './support/app.ts';
import { connect, manyServers } from './support/servers.ts';

const { serve, launch } = manyServers();

const menuLabels = (app: ElectronApplication) =>
  app.evaluate(({ Menu }) =>
    (Menu.getApplicationMenu()?.items ?? []).map(({ label, submenu }) => [
      label,
      (submenu?.items ?? []).filter(({ type }) => type !== 'separator').map((item) => item.label),
    ]),
  );

async function chooseLanguage(
  page: Page,
  words: { readonly title: string; readonly field: string; readonly save: string },
  language: string,
): Promise<void> {
  await page.keyboard.press('Control+,');
  const dialog = page.getByRole('dialog', { name: words.title });
  await dialog.getByLabel(words.field).selectOption({ label: language });
  await dialog.getByRole('button', { name: words.save }).click();
}

test('the window and its menus speak the chosen language at once; place and tables stay, and so does the choice', async () => {
  test.setTimeout(180_000);
  const server = await serve('prague');
  const first = await launch('home');
  const { page, app } = first;
  await connect(page, server, page.getByRole('button', { name: 'Connect to a server' }));
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: 'Media servers' }).click();
  await page.getByRole('searchbox').fill('a');
  const sorted = page.locator('[role="columnheader"][aria-sort="descending"]');
  const name = page.getByRole('columnheader').first().getByRole('button');
  await name.click();
  await expect(page.locator('[role="columnheader"][aria-sort="ascending"]')).toHaveCount(1);
  await name.click();
  await expect(sorted).toHaveCount(1);

  await chooseLanguage(page, { title: 'Preferences', field: 'Language', save: 'Save' }, 'Русский');
  const russian = page.getByRole('navigation', { name: 'Разделы' });
  await expect(russian.getByRole('link', { name: 'Медиасерверы' })).toHaveAttribute('aria-current', 'page');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ru');
  // The list is as it was left, and its own parts are Russian.
  await expect(page.getByRole('searchbox')).toHaveValue('a');
  await expect(sorted).toHaveCount(1);
  await page.getByRole('button', { name: 'Выбрать столбцы' }).click();
  await expect(page.getByRole('menuitem', { name: 'Вернуть исходный вид' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('contentinfo')).toContainText('Ничего не выполняется');
  await screenshot(page, 'languages-list');

  // A table and a dialog.
  await page.getByRole('button', { name: 'Все серверы' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Все серверы' })).toBeVisible();
  const table = page.getByRole('table', { name: 'Серверы' });
  await expect(table.getByRole('columnheader', { name: 'Последний ответ' })).toBeVisible();
  await expect(table.getByRole('row').nth(1)).toContainText('подключён');
  await expect(page.getByText('Всё в порядке.')).toBeVisible({ timeout: 30_000 });
  await screenshot(page, 'languages-fleet');
  await page
    .getByRole('navigation', { name: 'Подключения' })
    .getByRole('button', { name: 'Добавить подключение' })
    .click();
  const dialog = page.getByRole('dialog', { name: 'Подключиться к серверу' });
  await dialog.getByLabel('Адрес').fill('ftp://a');
  await dialog.getByLabel('Имя пользователя').fill('x');
  await dialog.getByLabel('Пароль').fill('x');
  await dialog.getByRole('button', { name: 'Подключиться' }).click();
  // What main says too.
  await expect(dialog.getByText('Должен начинаться с https://')).toBeVisible();
  await screenshot(page, 'languages-dialog');
  await dialog.getByRole('button', { name: 'Отмена' }).click();

  const menu = await menuLabels(app);
  expect(menu.map(([label]) => label)).toEqual(['&Файл', '&Правка', '&Вид', '&Справка']);
  const items = menu.flatMap(([, labels]) => labels);
  expect(items).toEqual(
    expect.arrayContaining(['Настройки…', 'Вырезать', 'Увеличить', 'О программе Strongroom']),
  );
  expect(items.filter((label) => /^[a-z …]+$/i.test(String(label)))).toEqual([]);

  await first.close();
  const again = await launch('home');
  await expect(again.page.getByRole('navigation', { name: 'Подключения' })).toBeVisible();
  await expect(again.page.getByRole('heading', { level: 1, name: 'Все серверы' })).toBeVisible();
  await chooseLanguage(again.page, { title: 'Настройки', field: 'Язык', save: 'Сохранить' }, 'English');
  await expect(again.page.getByRole('navigation', { name: 'Connections' })).toBeVisible();
  await expect(again.page.getByRole('heading', { level: 1, name: 'All servers' })).toBeVisible();
  expect((await menuLabels(again.app)).map(([label]) => label)).toEqual(['&File', '&Edit', '&View', '&Help']);
});
