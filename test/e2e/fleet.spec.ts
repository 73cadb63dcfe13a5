import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { answerSaveDialog, screenshot } from './support/app.ts';
import { backUp, connect, edit, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { serve, launch, work } = manyServers();

test('all servers in one look: one killed and one mute never blank the third (cases 34, 35, 36)', async () => {
  test.setTimeout(300_000);
  const [prague, brno, lab] = [await serve('prague'), await serve('brno'), await serve('lab')];
  const { page, app } = await launch('home');
  const side = page.getByRole('navigation', { name: 'Connections' });
  await connect(page, prague, page.getByRole('button', { name: 'Connect to a server' }));
  await edit(page, { name: 'Prague', group: 'Offices', colour: 'blue' });
  await connect(page, brno, side.getByRole('button', { name: 'Add connection' }));
  await edit(page, { name: 'Brno', group: 'Offices', colour: 'violet' });
  await connect(page, lab, side.getByRole('button', { name: 'Add connection' }));
  await edit(page, { name: 'Lab', group: '', colour: 'none' });

  await side.getByRole('button', { name: 'All servers' }).click();
  await expect(page.getByText('All is well on 3 servers.')).toBeVisible({ timeout: 30_000 });
  await inBothThemes(page, 'fleet-well');
  const row = (name: string) =>
    page
      .getByRole('table', { name: 'Servers' })
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name, exact: true }) });

  await side.getByRole('button', { name: 'Prague, connected' }).click();
  await backUp(page, join(work(), 'not there'));
  await side.getByRole('button', { name: 'All servers' }).click();
  await expect(row('Prague').getByRole('button', { name: '1 failed task of Prague' })).toBeVisible({
    timeout: 60_000,
  });

  await brno.kill();
  lab.child.kill('SIGSTOP');
  await expect(side.getByRole('button', { name: 'Brno, not reachable' })).toBeVisible({ timeout: 30_000 });
  await page.getByRole('button', { name: 'Look again' }).click();
  // The mute one is found out by the deadline of a look; until then it counts as before.
  await expect(row('Lab')).toContainText(/does not answer|not reachable/, { timeout: 60_000 });
  await expect(row('Lab')).toContainText('stale, from');
  await expect(row('Brno')).toContainText('stale, from');
  await expect(page.getByText('3 of 3 servers need a look.')).toBeVisible();
  await inBothThemes(page, 'fleet-troubled');
  await page.setViewportSize({ width: 1024, height: 700 });
  await screenshot(page, 'fleet-troubled-narrow');

  // The one that is left answers as ever, and its trouble leads to its task.
  await page.getByRole('button', { name: /^Show task \d+ of Prague$/ }).click();
  await expect(page.getByRole('region', { name: 'Task details' })).toContainText('not there');

  await side.getByRole('button', { name: 'All servers' }).click();
  lab.child.kill('SIGCONT');
  await page.getByRole('button', { name: 'Look again' }).click();
  await expect(row('Lab')).not.toContainText('stale', { timeout: 60_000 });
  await expect(row('Lab')).toContainText('connected');
  await expect(row('Brno')).toContainText('not reachable');

  // Exported sealed, taken over by another installation.
  const file = join(work(), 'connections.json');
  await answerSaveDialog(app, file);
  await page.getByRole('button', { name: 'Connections', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Export connections…' }).click();
  const save = page.getByRole('dialog', { name: 'Export connections' });
  await save.getByRole('radio', { name: 'Sealed with a passphrase' }).check();
  await save.getByLabel('Passphrase', { exact: true }).fill('correct horse battery');
  await save.getByLabel('Passphrase again').fill('correct horse battery');
  await inBothThemes(page, 'connections-export');
  await save.getByRole('button', { name: 'Save…' }).click();
  await expect(save).toBeHidden();
  expect(readFileSync(file, 'utf8')).not.toMatch(/Prague|admin|Offices/);

  const other = (await launch('other')).page;
  await other.getByRole('button', { name: 'Import connections…' }).click();
  const take = other.getByRole('dialog', { name: 'Import connections' });
  await take.getByLabel('File').fill(file);
  await take.getByRole('button', { name: 'Look into the file' }).click();
  await take.getByLabel('Passphrase').fill('wrong horse battery');
  await take.getByRole('button', { name: 'Look into the file' }).click();
  await expect(take.getByRole('alert')).toContainText('does not open with this passphrase');
  await take.getByLabel('Passphrase').fill('correct horse battery');
  await take.getByRole('button', { name: 'Look into the file' }).click();
  await expect(take.getByRole('list', { name: 'Connections in the file' })).toContainText('Prague');
  await inBothThemes(other, 'connections-import');
  await take.getByRole('button', { name: 'Import' }).click();
  await expect(take).toBeHidden();
  const otherSide = other.getByRole('navigation', { name: 'Connections' });
  await expect(otherSide.getByRole('button', { name: 'Prague, needs sign-in' })).toBeVisible();
  await expect(otherSide.getByText('Offices')).toBeVisible();
  await otherSide.getByRole('button', { name: 'All servers' }).click();
  await expect(other.getByText('3 of 3 servers need a look.')).toBeVisible();
  await screenshot(other, 'fleet-imported');
});
