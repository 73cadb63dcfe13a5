import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { sections } from '../../renderer/features/registry.ts';
import { launchApp, screenshot } from './support/app.ts';

/**
 * Every screen in both themes, as pictures to look at and by the rules of accessibility. The texts of a hostile
 * folder name are part of what is shown. A new section is in it by itself.
 */
test('every screen, light and dark, is free of findings by axe (case 51)', async () => {
  test.setTimeout(240_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-screens-'));
  const source = join(work, "Ünï çödé <b>dir (x86) 100%'s");
  mkdirSync(source);
  writeFileSync(join(source, 'VALIDACIÓN – 日本 🎞.docx'), 'x');
  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    const navigation = page.getByRole('navigation', { name: 'Sections' });
    const goTo = async (section: string) => {
      await navigation.getByRole('link', { name: section, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible();
    };
    await goTo('Tasks');
    await expect(page.getByText('No task has run yet')).toBeVisible({ timeout: 30_000 });
    await screenshot(page, 'empty-tasks');
    for (const folder of [source, join(work, 'not there')]) {
      await page.getByRole('button', { name: 'New backup' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'New backup' });
      await dialog.getByLabel('Folder').fill(folder);
      await dialog.getByRole('button', { name: 'Start backup' }).click();
      await expect(dialog).toBeHidden();
    }
    const tasks = page.getByRole('grid', { name: 'Tasks' });
    await expect(tasks.getByRole('row').filter({ hasText: 'Error' })).toHaveCount(1, { timeout: 30_000 });
    await expect(tasks.getByRole('row').filter({ hasText: 'Done' })).toHaveCount(1, { timeout: 30_000 });
    await tasks.getByRole('row').filter({ hasText: 'Error' }).click();
    await expect(page.getByRole('region', { name: 'Task details' })).toContainText('not there');
    await screenshot(page, 'tasks-error-details');

    const findings: string[] = [];
    for (const theme of ['light', 'dark'] as const) {
      await page.evaluate((wanted) => {
        document.documentElement.dataset.theme = wanted;
      }, theme);
      for (const { id: section } of sections) {
        await goTo(section);
        await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
        await screenshot(page, `${section.toLowerCase().replaceAll(' ', '-')}-${theme}`);
        findings.push(...(await axe(page, `${section}, ${theme}`)));
      }
    }
    expect(findings).toEqual([]);
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});

async function axe(page: Page, where: string): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  return violations.flatMap((violation) =>
    violation.nodes.map(
      (node) => `${where}: ${violation.id} ${node.target.join(' ')} ${node.failureSummary ?? ''}`,
    ),
  );
}
