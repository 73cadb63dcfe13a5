import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { sections } from '../../renderer/features/registry.ts';
import { callerOf } from '../gallery/bridge.ts';
import { fill } from '../gallery/fill.ts';
import { launchApp, screenshot } from './support/app.ts';
import { forEachView } from './support/every-dialog.ts';
import { axeInBothThemes, keyboardFindings, overflowFindings } from './support/findings.ts';
import { backUp } from './support/servers.ts';
import { speak } from './support/walk.ts';

const usual = { width: 1280, height: 800 };
/** The smallest that the window gets. */
const smallest = { width: 960, height: 600 };

/**
 * Every screen and each of its views, of a server that has something of each kind: by the rules of accessibility, by the
 * keyboard alone, and in the smallest window. A new screen or view is in it by itself. Dialogs are walked by the gallery.
 */
test('every screen, light and dark, is free of findings by axe, reached by the keyboard alone, and fits (case 51)', async () => {
  test.setTimeout(300_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-screens-'));
  const source = join(work, "Ünï çödé <b>dir (x86) 100%'s");
  mkdirSync(source);
  writeFileSync(join(source, 'VALIDACIÓN – 日本 🎞.docx'), 'x');
  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await page.setViewportSize(usual);
    await speak(page, 'en');
    await page.getByRole('button', { name: 'Use this computer' }).click();
    await page.getByRole('link', { name: 'Tasks', exact: true }).click();
    await expect(page.getByText('No task has run yet')).toBeVisible({ timeout: 30_000 });
    await screenshot(page, 'empty-tasks');
    await fill(callerOf(page, 'local'), { work });
    await backUp(page, source);

    const findings: string[] = [];
    const seen: string[] = [];
    const look = async (where: string) => {
      seen.push(where);
      findings.push(...(await axeInBothThemes(page, where)));
      findings.push(...(await keyboardFindings(page, where, 'main, nav, .status-bar')));
      await page.setViewportSize(smallest);
      findings.push(...(await overflowFindings(page, `${where}, narrow`)));
      await page.setViewportSize(usual);
      await screenshot(page, where.toLowerCase().replaceAll(' ', '-'));
    };
    for (const { id } of sections) await forEachView(page, id, 'en', look);
    await page.getByRole('button', { name: 'All servers' }).click();
    await expect(page.getByRole('table', { name: 'Servers' })).toBeVisible();
    await look('All servers');
    expect(findings).toEqual([]);
    expect(seen).toEqual(
      expect.arrayContaining(['Overview', 'Clients 1', 'Tape libraries 2', 'All servers']),
    );
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
});
