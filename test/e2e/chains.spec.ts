import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { launchApp } from './support/app.ts';
import { inBothThemes } from './support/themes.ts';

/** Copies that the real scheduler and engine made one upon the other, looked at and deleted through the window. */
test('a chain is shown, and a deletion says what goes with it, what stays and when nothing does', async () => {
  test.setTimeout(240_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-chains-'));
  const clock = join(work, 'clock');
  const source = join(work, 'letters & <i>papers');
  mkdirSync(source);
  writeFileSync(join(source, 'a.txt'), 'first'.repeat(5000));
  writeFileSync(clock, '0');
  const app = await launchApp({ home: join(work, 'home'), env: { STRONGROOM_CLOCK_FILE: clock } });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    const goTo = async (section: string): Promise<void> => {
      const sections = page.getByRole('navigation', { name: 'Sections' });
      await sections.getByRole('link', { name: section, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible({ timeout: 30_000 });
    };
    const fill = async (
      button: string,
      title: string,
      fields: Readonly<Record<string, string>>,
      submit: string,
    ) => {
      await page.getByRole('button', { name: button, exact: true }).first().click();
      const dialog = page.getByRole('dialog', { name: title });
      for (const [label, value] of Object.entries(fields)) {
        const field = dialog.getByLabel(label, { exact: true });
        const isChoice = (await field.evaluate((element) => element.tagName)) === 'SELECT';
        if (isChoice) await field.selectOption(value);
        else await field.fill(value);
      }
      await dialog.getByRole('button', { name: submit }).click();
      await expect(dialog).toBeHidden();
    };
    await goTo('Strategies');
    const strategy = { Name: 'Every minute', 'Full copies': '', 'Incremental copies': '* * * * *' };
    await fill('New strategy', 'New strategy', strategy, 'Create strategy');
    await goTo('Strategy rules');
    await fill('New rule', 'New rule', { Strategy: 'Every minute', Folder: source }, 'Create rule');

    await goTo('Copies');
    const copies = page.getByRole('grid', { name: 'Copies' }).getByRole('row').filter({ hasText: 'letters' });
    for (let minutes = 1; minutes <= 3; minutes += 1) {
      writeFileSync(join(source, `${minutes}.txt`), String(minutes).repeat(1000 * minutes));
      // Another minute of the backend's clock begins at once, and with it a run.
      writeFileSync(clock, String(minutes * 60_000));
      await expect.poll(() => copies.count(), { timeout: 30_000 }).toBeGreaterThanOrEqual(minutes);
    }
    await goTo('Strategy rules');
    await page
      .getByRole('grid', { name: 'Strategy rules' })
      .getByRole('row')
      .filter({ hasText: 'letters' })
      .click();
    await page.getByRole('button', { name: 'Edit…' }).click();
    const rule = page.getByRole('dialog', { name: 'Edit rule' });
    await rule.getByLabel(/Makes copies/).uncheck();
    await rule.getByRole('button', { name: 'Save' }).click();
    await expect(rule).toBeHidden();
    // No task of the rule is left that could make another copy.
    await goTo('Tasks');
    const tasks = page.getByRole('grid', { name: 'Tasks' }).getByRole('row').filter({ hasText: 'letters' });
    await expect(tasks.filter({ hasNotText: 'Done' })).toHaveCount(0, { timeout: 30_000 });

    await goTo('Copies');
    const details = page.getByRole('region', { name: 'Copy details' });
    const chain = details.getByRole('list', { name: 'Chain' }).getByRole('listitem');
    const made = await copies.count();
    // The newest stands at the top, the full one at the bottom. Real minutes go by too, so there may be more than three.
    const second = made - 2;
    await copies.nth(second).click();
    await details.getByRole('tab', { name: 'Chain' }).click();
    await expect(chain).toHaveCount(made);
    await expect(chain.first()).toContainText('full');
    await expect(chain.first()).toContainText('needed by it');
    await expect(chain.nth(1)).toHaveAttribute('aria-current', 'true');
    await expect(chain.last()).toContainText('incremental');
    await expect(chain.last()).toContainText('needs it');
    await inBothThemes(page, 'copy-chain');

    const removal = page.getByRole('dialog', { name: 'Delete copies' });
    const remove = removal.getByRole('button', { name: 'Delete', exact: true });
    const askToDelete = async () => {
      await page
        .getByRole('toolbar', { name: 'Copy actions' })
        .getByRole('button', { name: 'Delete…' })
        .click();
      await expect(removal.getByText(/are freed/)).toBeVisible();
    };
    await askToDelete();
    await expect(removal.getByRole('list', { name: 'What goes with it' }).getByRole('listitem')).toHaveCount(
      second,
    );
    await expect(removal.getByRole('list', { name: 'Newest copy that stays' })).toContainText('full');
    await inBothThemes(page, 'delete-copies');
    await remove.click();
    await expect(removal).toBeHidden();
    await expect(copies).toHaveCount(1);

    await copies.last().click();
    await askToDelete();
    await expect(removal.getByRole('alert')).toContainText('<i>papers');
    await inBothThemes(page, 'delete-last-copy');
    await expect(remove).toHaveAttribute('aria-disabled', 'true');
    await removal.getByRole('checkbox').check();
    await remove.click();
    // The configuration keeps the last copy of a rule, whatever was ticked.
    await expect(removal.getByRole('alert').first()).toContainText('the last copy of strategy rule');
    await inBothThemes(page, 'delete-last-copy-refused');
    await removal.getByRole('button', { name: 'Cancel' }).click();
    await expect(copies).toHaveCount(1);
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});
