import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ElectronApplication, expect, test } from '@playwright/test';
import { launchApp } from './support/app.ts';

interface Asked {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly string[];
}

/** Answers the next native questions with this button and keeps what was asked. */
async function answerWith(app: ElectronApplication, button: string): Promise<void> {
  await app.evaluate(({ dialog }, wanted) => {
    const kept = globalThis as unknown as { asked: Asked[] };
    kept.asked = [];
    const answer = async (...args: unknown[]) => {
      const question = args.at(-1) as Asked;
      kept.asked.push(question);
      return { response: question.buttons.indexOf(wanted), checkboxChecked: false };
    };
    dialog.showMessageBox = answer as typeof dialog.showMessageBox;
  }, button);
}

const asked = (app: ElectronApplication) =>
  app.evaluate(() => (globalThis as unknown as { asked: Asked[] }).asked);

test('closing keeps running work in the background, quitting names it, and it goes on afterwards (cases 1, 18)', async () => {
  test.setTimeout(180_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-quit-'));
  const source = join(work, 'large');
  const home = join(work, 'home');
  mkdirSync(source);
  // Allocated, so it is read and written in full.
  execFileSync('fallocate', ['-l', '4G', join(source, 'image')]);
  const first = await launchApp({ home });
  try {
    const { page, app } = first;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: 'Tasks' }).click({ timeout: 30_000 });
    await page.getByRole('button', { name: 'New backup' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New backup' });
    await dialog.getByLabel('Folder').fill(source);
    await dialog.getByRole('button', { name: 'Start backup' }).click();
    const row = page.getByRole('grid', { name: 'Tasks' }).getByRole('row').filter({ hasText: source });
    await expect(row).toContainText('Transmission', { timeout: 30_000 });

    await answerWith(app, 'Keep in background');
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
    await expect
      .poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()))
      .toBe(false);
    await expect(row).toContainText('Transmission');

    await answerWith(app, 'Cancel');
    await app.evaluate(({ app: electron }) => electron.quit());
    await expect
      .poll(async () => (await asked(app)).map((question) => question.detail).join('\n'))
      .toContain(source);
    await expect(row).toContainText('Transmission');

    await answerWith(app, 'Quit');
    const ended = new Promise((resolve) => app.process().once('exit', resolve));
    await app.evaluate(({ app: electron }) => electron.quit()).catch(() => undefined);
    await ended;
  } finally {
    await first.close();
  }
  const second = await launchApp({ home });
  try {
    const row = second.page.getByRole('grid', { name: 'Tasks' }).getByRole('row').filter({ hasText: source });
    await expect(row).toContainText('Done', { timeout: 90_000 });
  } finally {
    await second.close();
    rmSync(work, { recursive: true, force: true });
  }
});
