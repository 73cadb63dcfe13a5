import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { launchApp, screenshot } from './support/app.ts';
import { inBothThemes } from './support/themes.ts';

test('settings are saved after a look at what changes, directory settings are tried before', async () => {
  test.setTimeout(120_000);
  const home = await mkdtemp(join(tmpdir(), 'strongroom-configuration-'));
  const { page, close } = await launchApp({ home });
  try {
    await page.getByRole('button', { name: 'Use this computer' }).click();
    await goTo(page, 'Configuration', 'Configuration');
    await page.getByRole('searchbox', { name: 'Search Configuration' }).fill('monitoring_period');
    await page.getByRole('button', { name: 'Change monitoring_period' }).focus();
    await page.keyboard.press('Enter');
    const change = page.getByRole('dialog', { name: 'Change monitoring_period' });
    const value = change.getByRole('spinbutton');
    await value.fill('4');
    await page.keyboard.press('Enter');
    await expect(change.getByText('must be a whole number from 5 to').first()).toBeVisible();
    await value.fill('120');
    await page.keyboard.press('Enter');
    await expect(change).toBeHidden();
    await page.getByRole('searchbox', { name: 'Search Configuration' }).fill('');
    await page
      .getByRole('button', { name: 'Set immutable_archives to its default' })
      .scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: 'Change mandatory_storage_time' }).click();
    const days = page.getByRole('dialog', { name: 'Change mandatory_storage_time' });
    await days.getByRole('spinbutton').fill('3');
    await days.getByRole('button', { name: 'Add to the changes' }).click();
    await inBothThemes(page, 'configuration-changed');
    await page.getByRole('button', { name: 'Review 2 changes…' }).click();
    const review = page.getByRole('dialog', { name: 'Save configuration' });
    const row = review.getByRole('row', { name: /monitoring_period/ });
    await expect(row).toContainText('60 seconds');
    await expect(row).toContainText('120 seconds');
    await expect(row).toContainText('On this server: what the pools hold is sampled this often');
    await inBothThemes(page, 'configuration-review');
    await review.getByRole('button', { name: 'Save changes' }).click();
    await expect(review).toBeHidden();
    await goTo(page, 'Users', 'Users');
    await goTo(page, 'Configuration', 'Configuration');
    await expect(page.getByRole('listitem').filter({ hasText: 'monitoring_period' })).toContainText(
      '120 seconds',
    );

    await goTo(page, 'Directory', 'Directory');
    await page.getByRole('button', { name: 'Set connection…' }).click();
    const form = page.getByRole('dialog', { name: 'Directory connection' });
    const fields = {
      Address: '127.0.0.1',
      Port: '1',
      Domain: 'lab.example',
      Account: 'reader@lab.example',
      Password: 'a secret',
      'Users below': 'DC=lab,DC=example',
      'Groups below': 'DC=lab,DC=example',
    };
    for (const [label, text] of Object.entries(fields))
      await form.getByLabel(label, { exact: true }).fill(text);
    await form.getByRole('button', { name: 'Test these settings' }).click();
    await expect(form.getByRole('status')).toContainText('ECONNREFUSED', { timeout: 15_000 });
    await expect(form.getByRole('status')).toContainText('Sign-in of the account');
    await inBothThemes(page, 'directory-check');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await form.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByText(/No domain controller is connected/)).toBeVisible();

    await page.keyboard.press('Control+,');
    const preferences = page.getByRole('dialog', { name: 'Preferences' });
    await preferences.getByLabel('Language').selectOption({ label: 'Русский' });
    await preferences.getByRole('button', { name: 'Save' }).click();
    await goTo(page, 'Конфигурация', 'Конфигурация');
    await page.getByRole('button', { name: 'Изменить mandatory_storage_time' }).click();
    const inRussian = page.getByRole('dialog', { name: 'Изменить mandatory_storage_time' });
    await inRussian.getByRole('spinbutton').fill('7');
    await inRussian.getByRole('button', { name: 'Добавить к изменениям' }).click();
    await page.getByRole('button', { name: 'Изменения: 1…' }).click();
    const reviewed = page.getByRole('dialog', { name: 'Сохранить конфигурацию' });
    await expect(reviewed.getByRole('row', { name: /mandatory_storage_time/ })).toContainText('3 дня');
    await screenshot(page, 'configuration-review-russian');
    await reviewed.getByRole('button', { name: 'Отмена' }).click();

    // Where a person was is known after the next start, though they quit at once.
    await goTo(page, 'Пользователи', 'Пользователи');
    await close();
    const again = await launchApp({ home });
    try {
      const title = again.page.getByRole('heading', { level: 1, name: 'Пользователи' });
      await expect(title).toBeVisible({ timeout: 30_000 });
    } finally {
      await again.close();
    }
  } finally {
    await close();
    await rm(home, { recursive: true, force: true });
  }
});

async function goTo(page: Page, section: string, title: string): Promise<void> {
  await page.getByRole('link', { name: section, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible({ timeout: 30_000 });
}
