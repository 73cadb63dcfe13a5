import { hostname } from 'node:os';
import { expect, type Page, test } from '@playwright/test';
import type { Cartridge } from '../../contract/cartridges/cartridge.ts';
import type { TapeCandidates } from '../../contract/tape-libraries/tape-library.ts';
import { adminPassword, connect, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const servers = manyServers();

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Another client of the same server: no part of the window. */
async function otherClient(url: string): Promise<Call> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const call: Call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  };
  const login = { backup_database: 'strongroom', backup_user: 'admin', password: adminPassword };
  const { access_token: token } = await call<{ access_token: string }>('POST', '/auth/login', login);
  headers.authorization = `Bearer ${token}`;
  return call;
}

async function addLibrary(call: Call): Promise<number> {
  const place = { media_server: hostname() };
  const rack = { ...place, name: 'rack', slots: 6, drives: 1, mail_slots: 1, cartridge_size: 8_388_608 };
  await call('POST', '/virtual_libraries', { ...rack, cartridges: ['SR0001L8', 'SR0002L8', 'SR0003L8'] });
  await call('POST', '/pools', { data: { ...place, pool_name: 'Tapes', pool_type: 'Tape library' } });
  const query = `media_server=${encodeURIComponent(hostname())}&adding_type=auto`;
  const found = await call<TapeCandidates>('GET', `/tape_libraries/candidates?${query}`);
  const { id } = await call<{ id: number }>('POST', '/tape_libraries', {
    ...place,
    pool: 'Tapes',
    medium_changer_candidate_id: found.medium_changers[0]?.id,
    tape_drives_candidates_ids: found.tape_drives.map((drive) => drive.id),
  });
  return id;
}

const place = (page: Page, name: string) => page.getByRole('gridcell', { name: new RegExp(`^${name} `) });

test('the board follows what another client does, and cartridges get the media set of a pool', async () => {
  const server = await servers.serve('tapes');
  const { url } = await server.ready;
  const call = await otherClient(url);
  const library = await addLibrary(call);
  const { page } = await servers.launch('window');
  await connect(page, server, page.getByRole('button', { name: 'Connect to a server' }).first());
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: 'Tape libraries', exact: true }).click();

  await test.step('a move of another client shows at once, without a reload', async () => {
    await page.getByRole('tab', { name: 'Slot board', exact: true }).click();
    await expect(place(page, 'Slot 1')).toHaveAccessibleName(/SR0001L8/);
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
    await call('POST', `/tape_libraries/${library}/move`, { from: 1000, to: 1005 });
    // Sooner than the board looks by itself.
    await expect(place(page, 'Slot 6')).toHaveAccessibleName(/SR0001L8/, { timeout: 8_000 });
    await expect(place(page, 'Slot 1')).toHaveAccessibleName('Slot 1 empty');
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true);
  });

  await test.step('a cartridge is put into a media set on the board', async () => {
    await place(page, 'Slot 6').click();
    const details = page.getByRole('region', { name: 'Place details' });
    await details.getByRole('button', { name: 'Media set…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Media set of SR0001L8' });
    await dialog.getByLabel('Media set', { exact: true }).fill('Weekly');
    await inBothThemes(page, 'tape-media-set');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
    await expect(details).toContainText('Weekly');
    await inBothThemes(page, 'tape-board-media-set');
    const all = await call<Cartridge[]>('GET', '/cartridges');
    expect(all.map(({ media_set_name: name }) => name)).toEqual(['Weekly', null, null]);
  });

  await test.step('its pool is bound to the set, and the list shows both', async () => {
    await page.getByRole('tab', { name: 'Cartridges', exact: true }).click();
    const rows = page.getByRole('grid', { name: 'Cartridges', exact: true });
    await expect(rows.getByRole('row', { name: /SR0001L8/ })).toContainText('Weekly');
    await rows.getByRole('row', { name: /SR0001L8/ }).click();
    await inBothThemes(page, 'tape-cartridges-media-set');
    await sections.getByRole('link', { name: 'Pools', exact: true }).click();
    await page.getByRole('grid', { name: 'Pools', exact: true }).getByRole('row', { name: /Tapes/ }).click();
    await page.getByRole('button', { name: 'Edit…' }).click();
    const form = page.getByRole('dialog', { name: 'Edit pool Tapes' });
    await form.getByLabel('Media set', { exact: true }).fill('Weekly');
    await form.getByLabel(/^Take empty cartridges/).check();
    await inBothThemes(page, 'pool-media-set');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(form).toBeHidden();
    await expect(page.getByText('Weekly, and empty cartridges without a set')).toBeVisible();
  });
});
