import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { type BackendProcess, spawnBackend } from '../../support/backend.ts';
import { type LaunchedApp, launchApp } from './app.ts';

export const adminPassword = 'canary-Passwort-servers-1';

/** Real servers and apps in a folder of their own; all of it goes when the test is over. */
export function manyServers() {
  const held: { work: string; servers: BackendProcess[]; apps: LaunchedApp[] } = {
    work: '',
    servers: [],
    apps: [],
  };
  test.beforeEach(() => {
    held.work = mkdtempSync(join(tmpdir(), 'strongroom-servers-'));
    held.servers = [];
    held.apps = [];
  });
  test.afterEach(async () => {
    for (const app of held.apps) await app.close();
    for (const server of held.servers) {
      // A stopped process takes no signal but these.
      server.child.kill('SIGCONT');
      await server.kill();
    }
    rmSync(held.work, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    work: () => held.work,
    serve: async (name: string): Promise<BackendProcess> => {
      const server = spawnBackend({
        dataDir: join(held.work, name),
        env: { STRONGROOM_ADMIN_PASSWORD: adminPassword },
      });
      held.servers.push(server);
      await server.ready;
      return server;
    },
    launch: async (name: string, env: Readonly<Record<string, string>> = {}): Promise<LaunchedApp> => {
      const app = await launchApp({ home: join(held.work, name), env });
      held.apps.push(app);
      return app;
    },
  };
}

/** Adds a connection by the dialog that the button opens. */
export async function connect(
  page: Page,
  server: { readonly ready: Promise<{ readonly url: string }> },
  button: Locator,
): Promise<void> {
  const { url } = await server.ready;
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
  await dialog.getByLabel('Address').fill(url.replace(/\/api\/v1$/, ''));
  await dialog.getByLabel('User name').fill('admin');
  await dialog.getByLabel('Password').fill(adminPassword);
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await expect(dialog).toBeHidden({ timeout: 20_000 });
}

/** Name, group and colour of the connection that is chosen. */
export async function edit(
  page: Page,
  fields: { readonly name: string; readonly group: string; readonly colour: string },
): Promise<void> {
  await page.getByRole('button', { name: 'Connection actions' }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const form = page.getByRole('dialog', { name: 'Edit connection' });
  await form.getByLabel('Name').fill(fields.name);
  await form.getByLabel('Group').fill(fields.group);
  await form.getByLabel('Colour').selectOption(fields.colour);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();
}

/** A backup that is started by its dialog; the folder need not be there. */
export async function backUp(page: Page, folder: string): Promise<void> {
  await page.getByRole('button', { name: 'New backup' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New backup' });
  await dialog.getByLabel('Folder').fill(folder);
  await dialog.getByRole('button', { name: 'Start backup' }).click();
  await expect(dialog).toBeHidden();
}
