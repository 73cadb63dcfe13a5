import { expect, test } from '@playwright/test';
import { change, goTo, inDialog, openTab, remove, rows } from './support/screens.ts';
import { adminPassword, connect, edit, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { serve, launch } = manyServers();

test('a client is grouped, deleted, comes back to wait, and is let in again', async () => {
  test.setTimeout(240_000);
  const { page } = await launch('home');
  await page.getByRole('button', { name: 'Use this computer' }).click();
  await goTo(page, 'Clients');
  await openTab(page, 'Groups', 'Client groups');
  const newGroup = page.getByRole('button', { name: 'New client group' });
  for (const name of ['Cellar, north', 'Attic']) {
    await inDialog(page, newGroup, 'New client group', async (dialog) => {
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByRole('button', { name: 'Create group' }).click();
    });
  }
  await change(page, rows(page, 'Client groups', 'Cellar'), 'Edit client group Cellar, north', (dialog) =>
    dialog.getByLabel('Copies may go to other members').check(),
  );
  await expect(page.getByRole('region', { name: 'Client group details' })).toContainText('yes');
  await inBothThemes(page, 'client-groups');
  await remove(page, rows(page, 'Client groups', 'Attic'), 'Delete client groups');

  await openTab(page, 'Clients', 'Clients');
  const clients = page.getByRole('tree', { name: 'Clients' });
  const client = clients.getByRole('treeitem', { level: 2 });
  const details = page.getByRole('region', { name: 'Client details' });
  await client.click();
  await inDialog(page, page.getByRole('button', { name: 'Edit…' }), /^Edit client/, async (dialog) => {
    await dialog.getByLabel('Group').selectOption('Cellar, north');
    await dialog.getByLabel('Limit of all its copies (GB)').fill('500');
    await dialog.getByLabel('Its user may start a backup').check();
    await dialog.getByLabel('Its user may start a restore').check();
    await dialog.getByLabel('Its own restriction list counts').check();
    await dialog.getByLabel('May make copies by its own schedule').check();
    await dialog.getByLabel('Pool of its own schedule').selectOption('Default');
    await inBothThemes(page, 'client-form');
    await dialog.getByRole('button', { name: 'Save' }).click();
  });
  await expect(details).toContainText('yes, into the pool Default');
  await expect(details).toContainText('500 GB');
  await expect(clients.getByRole('treeitem', { name: /^Cellar, north/ })).toContainText('1 client, shared');

  await client.click();
  await inDialog(page, page.getByRole('button', { name: 'Delete…' }), 'Delete clients', async (dialog) => {
    await expect(dialog).toContainText('Its copies stay');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  });
  await expect(client).toHaveCount(0);

  // The agent of this computer tells of itself again when its server starts.
  await goTo(page, 'Local backend');
  const actions = page.getByRole('toolbar', { name: 'Backend actions' });
  await actions.getByRole('button', { name: 'Restart' }).click();
  await goTo(page, 'Clients');
  const waits = page.getByRole('tab', { name: 'Waiting (1)' });
  await expect(waits).toBeVisible({ timeout: 60_000 });
  await openTab(page, 'Waiting (1)', 'Waiting clients');
  const waiting = page.getByRole('grid', { name: 'Waiting clients' }).getByRole('row').nth(1);
  await waiting.click();
  await inBothThemes(page, 'clients-waiting');
  await page.getByRole('button', { name: 'Authorize' }).click();
  await expect(page.getByText('1 client authorized.')).toBeVisible();
  await expect(page.getByText('No client waits to be let in.')).toBeVisible();
  await openTab(page, 'Clients', 'Clients');
  await expect(client).toHaveCount(1);
});

test('users get roles and groups, one becomes an auditor, and each sees what is allowed', async () => {
  test.setTimeout(240_000);
  const server = await serve('prague');
  const { page } = await launch('home');
  await connect(page, server, page.getByRole('button', { name: 'Connect to a server' }));
  await edit(page, { name: 'As admin', group: '', colour: 'none' });
  await goTo(page, 'Users');
  await inDialog(page, page.getByRole('button', { name: 'New user' }), 'New user', async (dialog) => {
    await dialog.getByLabel('User name').fill('eva');
    await dialog.getByLabel('Password').fill('short');
    await dialog.getByRole('button', { name: 'Create user' }).click();
    await expect(dialog.getByText(/8 characters at least/).first()).toBeVisible();
    await dialog.getByLabel('Password').fill(adminPassword);
    await dialog.getByLabel('No group').check();
    await dialog.getByRole('button', { name: 'Create user' }).click();
  });
  await change(page, rows(page, 'Users', 'eva'), 'Edit user eva', async (dialog) => {
    await dialog.getByLabel('User name').fill('eva.b');
    await dialog.getByLabel('maintainer').check();
    await inBothThemes(page, 'user-form');
  });
  const details = page.getByRole('region', { name: 'User details' });
  await expect(details).toContainText('maintainer, administrator');
  await expect(details).toContainText('No group');

  await openTab(page, 'Auditors', 'Auditors');
  await expect(page.getByText('No user is an auditor.')).toBeVisible();
  const newAuditor = page.getByRole('button', { name: 'New auditor' });
  const give = () =>
    inDialog(page, newAuditor, 'New auditor', async (dialog) => {
      await dialog.getByLabel('User name').selectOption('eva.b');
      await inBothThemes(page, 'auditor-form');
      await dialog.getByRole('button', { name: 'Give the role' }).click();
    });
  await give();
  await rows(page, 'Auditors', 'eva.b').click();
  await expect(page.getByRole('region', { name: 'Auditor details' })).toContainText('admin');
  await remove(page, rows(page, 'Auditors', 'eva.b'), 'Delete auditors', 'Only the role goes');
  await give();

  // What her account may do, as she sees it.
  const side = page.getByRole('navigation', { name: 'Connections' });
  await inDialog(
    page,
    side.getByRole('button', { name: 'Add connection' }),
    'Connect to a server',
    async (dialog) => {
      const { url } = await server.ready;
      await dialog.getByLabel('Address').fill(url.replace(/\/api\/v1$/, ''));
      await dialog.getByLabel('User name').fill('eva.b');
      await dialog.getByLabel('Password').fill(adminPassword);
      await dialog.getByRole('button', { name: 'Connect' }).click();
    },
  );
  await edit(page, { name: 'As Eva', group: '', colour: 'none' });
  await page.getByRole('button', { name: /^eva\.b \(/ }).click();
  const rights = page.getByRole('dialog', { name: 'Your rights on As Eva' });
  await expect(rights).toContainText('eva.b, with the roles: maintainer, administrator, auditor.');
  await expect(rights.getByText('see, make and change; not: delete')).toHaveCount(1);
  await inBothThemes(page, 'rights');
  await rights.getByLabel('Show only what is not allowed').check();
  await expect(rights.getByText('Pools')).toHaveCount(0);
  await expect(rights.getByText('Configuration')).toBeVisible();
  await rights.getByRole('button', { name: 'Close' }).click();
  await goTo(page, 'Users');
  const newUser = page.getByRole('button', { name: 'New user' });
  await expect(newUser).toHaveAttribute('aria-disabled', 'true');
  await expect(newUser).toHaveAttribute('title', /users\.write/);
  await openTab(page, 'Auditors', 'Auditors');
  await expect(newAuditor).toHaveAttribute('title', /auditors\.write/);

  await side.getByRole('button', { name: /^As admin/ }).click();
  await goTo(page, 'Users');
  await remove(
    page,
    rows(page, 'Users', 'eva.b'),
    'Delete users',
    'eva.b (maintainer, administrator, auditor)',
  );
});
