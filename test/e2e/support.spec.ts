import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { answerSaveDialog, screenshot } from './support/app.ts';
import { adminPassword, backUp, connect, edit, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { serve, launch, work } = manyServers();
const canary = 'canary-Passwort-of-eve-1';

test('a support bundle holds no secret, and opens elsewhere as a server that can only be looked at', async () => {
  test.setTimeout(240_000);
  const server = await serve('prague');
  const { page, app } = await launch('home');
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await connect(page, server, page.getByRole('button', { name: 'Connect to a server' }));
  await edit(page, { name: 'Prague', group: '', colour: 'none' });
  await sections.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('button', { name: 'New user' }).click();
  const user = page.getByRole('dialog', { name: 'New user' });
  await user.getByLabel('User name').fill('eve');
  await user.getByLabel('Password').fill(canary);
  await user.getByRole('button', { name: /Create/ }).click();
  await expect(user).toBeHidden();
  await expect(page.getByRole('grid', { name: 'Users' })).toContainText('eve');
  await sections.getByRole('link', { name: 'Tasks' }).click();
  await backUp(page, join(work(), 'not there'));
  await expect(page.getByRole('grid', { name: 'Tasks' })).toContainText('Error', { timeout: 30_000 });
  await page.getByRole('grid', { name: 'Tasks' }).getByRole('row').filter({ hasText: 'Error' }).click();
  await expect(page.getByRole('region', { name: 'Task details' })).toContainText('not there');

  const file = join(work(), 'bundle.json');
  await answerSaveDialog(app, file);
  await page.getByRole('button', { name: 'Connection actions' }).click();
  await page.getByRole('menuitem', { name: 'Save support bundle…' }).click();
  const save = page.getByRole('dialog', { name: 'Save support bundle' });
  await inBothThemes(page, 'support-save');
  await save.getByRole('button', { name: 'Save…' }).click();
  await expect(save).toBeHidden();
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('"users.create"');
  expect(text).toContain('not there');
  for (const secret of [canary, adminPassword, 'eyJ', 'Bearer ey']) expect(text).not.toContain(secret);
  expect(text).not.toMatch(
    /access_token_cookie=(?!\[secret\])|"(csrf|access|refresh)_token": "(?!\[secret\])/,
  );

  await server.kill();
  const other = (await launch('other')).page;
  await other.getByRole('button', { name: 'Use this computer' }).click();
  const side = other.getByRole('navigation', { name: 'Connections' });
  await side.getByRole('button', { name: 'All servers' }).click({ timeout: 30_000 });
  await other.getByRole('button', { name: 'Connections', exact: true }).click();
  await other.getByRole('menuitem', { name: 'Open support bundle…' }).click();
  const open = other.getByRole('dialog', { name: 'Open support bundle' });
  await open.getByLabel('File').fill(join(work(), 'home', 'settings.json'));
  await open.getByRole('button', { name: 'Open' }).click();
  await expect(open.getByRole('alert')).toContainText('it is no support bundle of Strongroom');
  await screenshot(other, 'support-open-error');
  await open.getByLabel('File').fill(file);
  await open.getByRole('button', { name: 'Open' }).click();
  await expect(open).toBeHidden();
  await expect(side.getByRole('button', { name: 'Prague, recording' })).toBeVisible();
  const parts = other.getByRole('navigation', { name: 'Sections' });
  await parts.getByRole('link', { name: 'Tasks' }).click();
  const tasks = other.getByRole('grid', { name: 'Tasks' });
  await tasks.getByRole('row').filter({ hasText: 'Error' }).click();
  await expect(other.getByRole('region', { name: 'Task details' })).toContainText('not there');
  await expect(other.getByText(/^A recording of .*nothing can be changed/)).toBeVisible();
  await expect(other.getByRole('button', { name: 'New backup' }).first()).toHaveAttribute(
    'title',
    /recording/,
  );
  await inBothThemes(other, 'support-recording');
  await parts.getByRole('link', { name: 'Storages' }).click();
  await expect(other.getByText(/This was not recorded/)).toBeVisible();
  await inBothThemes(other, 'support-not-recorded');
  await side.getByRole('button', { name: 'All servers' }).click();
  await expect(other.getByRole('rowheader', { name: 'Prague' })).toHaveCount(0);
  await side.getByRole('button', { name: 'Prague, recording' }).click();
  await other.getByRole('button', { name: 'Connection actions' }).click();
  await other.getByRole('menuitem', { name: 'Close recording' }).click();
  await expect(side.getByRole('button', { name: 'Prague, recording' })).toHaveCount(0);
});
