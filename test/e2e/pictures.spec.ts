import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { openDatabase } from '../../backend/db/index.ts';
import { makeHistory } from '../support/history.ts';
import { screenshot } from './support/app.ts';
import { connect, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { serve, launch, work } = manyServers();

test('pictures of the last days: drawn, told by keys, as tables, with an honest forecast', async () => {
  test.setTimeout(180_000);
  const young = await serve('old');
  await young.ready;
  await young.stop();
  const database = await openDatabase({ kind: 'sqlite', path: join(work(), 'old', 'strongroom.db') });
  await makeHistory(database, { days: 40, nowMs: Date.now(), storedBytes: 2 ** 40 });
  await database.close();
  const { page } = await launch('home');
  const problems: string[] = [];
  page.on('console', (message) => {
    const isOfAxe = message.text().includes("'TrustedScript'");
    if (['error', 'warning'].includes(message.type()) && !isOfAxe) problems.push(message.text());
  });
  await connect(page, await serve('old'), page.getByRole('button', { name: 'Connect to a server' }));

  const history = page.getByRole('region', { name: 'History' });
  const stored = history.getByRole('slider', { name: 'Stored bytes' });
  await expect(stored.locator('canvas')).toBeVisible({ timeout: 30_000 });
  await expect(stored).toHaveAttribute('aria-valuetext', /^\d{4}-\d\d-\d\d: 1\.00 TiB$/);
  await stored.focus();
  await page.keyboard.press('Home');
  await expect(stored).toHaveAttribute('aria-valuenow', '1');
  await expect(stored).toHaveAttribute('aria-valuetext', /: 282 GiB$/);
  await expect(stored.locator('.u-cursor-x')).not.toHaveClass(/u-off/);
  await expect(history.getByRole('slider', { name: 'Throughput by day' })).toHaveAttribute(
    'aria-valuetext',
    /: 4\d\d MiB\/s$/,
  );

  await history.getByRole('button', { name: 'Show “Throughput by day” as a table' }).click();
  await expect(history.getByRole('table', { name: 'Throughput by day' }).getByRole('row')).toHaveCount(31);
  await inBothThemes(page, 'pictures-table');
  await history.getByRole('button', { name: 'Show “Throughput by day” as a picture' }).click();

  const calendar = history.getByRole('grid', { name: 'How tasks ended, by day' });
  const failed = calendar.getByRole('row', { name: /Failed/ }).getByRole('gridcell', { name: /: 2 tasks$/ });
  await expect(failed).toHaveCount(6);
  await calendar.getByRole('gridcell', { name: /Done/ }).last().focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator(':focus')).toHaveAttribute('aria-label', /Failed/);
  await history.scrollIntoViewIfNeeded();
  await drawn(page);
  await inBothThemes(page, 'pictures-overview');
  await history.getByLabel('Days shown').selectOption('90');
  await expect(stored).toHaveAttribute('aria-valuemax', '90');
  await drawn(page);
  await inBothThemes(page, 'pictures-overview-90');
  await page.setViewportSize({ width: 1024, height: 700 });
  await drawn(page);
  await screenshot(page, 'pictures-overview-narrow');
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Pools' }).click();
  await page.getByRole('grid', { name: 'Pools' }).getByRole('row').nth(1).click();
  const details = page.getByRole('region', { name: 'Pool details' });
  await expect(details.getByText(/Grows by 25\.6 GiB a day: full about \d{4}-\d\d-\d\d\./)).toBeVisible();
  await expect(details.getByRole('slider', { name: 'Fill of the pool' }).locator('canvas')).toBeVisible();
  await drawn(page);
  await inBothThemes(page, 'pictures-pool');
  // The policy of the page has nothing against how pictures are drawn.
  expect(problems).toEqual([]);
});

/** Two frames after now: what was resized is drawn. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(null)))),
  );
}
