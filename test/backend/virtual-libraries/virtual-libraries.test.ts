import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CandidateInfo, TapeCandidates } from '../../../contract/tape-libraries/tape-library.ts';
import type { VirtualLibrary } from '../../../contract/virtual-libraries/virtual-library.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const path = '/virtual_libraries';
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let app: TestApp;
let superuser: Session;

const start = async (): Promise<void> => {
  app = await startTestApp({ started: true, dataDir: folder.path });
  superuser = await app.loginAs('superuser');
};
beforeEach(async () => {
  folder = await makeTempDir('virtual-libraries');
  await start();
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

const draft = (more: Record<string, unknown> = {}) => ({
  media_server: hostname(),
  name: 'rack',
  slots: 4,
  drives: 2,
  cartridges: ['SR0001L8', 'CLN001L1'],
  cartridge_size: 8_388_608,
  ...more,
});
const make = async (more: Record<string, unknown> = {}): Promise<number> => {
  const answer = await superuser.send('POST', path, draft(more));
  expect([answer.body.errors, answer.status]).toEqual([{}, 201]);
  return answer.data<{ id: number }>().id;
};
const get = async (id: number) => (await superuser.send('GET', `${path}/${id}`)).data<VirtualLibrary>();
const candidates = async (): Promise<TapeCandidates> => {
  const query = `media_server=${encodeURIComponent(hostname())}&adding_type=auto`;
  return (await superuser.send('GET', `/tape_libraries/candidates?${query}`)).data<TapeCandidates>();
};
/** A tape library of the simulated one, in a pool of its own. */
const addLibrary = async (): Promise<number> => {
  const pool = { pool_name: 'Tapes', pool_type: 'Tape library', media_server: hostname() };
  expect((await superuser.send('POST', '/pools', pool)).status).toBe(201);
  const { medium_changers: changers, tape_drives: drives } = await candidates();
  const answer = await superuser.send('POST', '/tape_libraries', {
    pool: 'Tapes',
    media_server: hostname(),
    medium_changer_candidate_id: changers[0]?.id,
    tape_drives_candidates_ids: drives.map(({ id }) => id),
  });
  expect(answer.body.errors).toEqual({});
  return answer.data<{ id: number }>().id;
};

describe('a virtual library', () => {
  it('is made with what was asked for, and with the usual for the rest', async () => {
    const id = await make();
    expect(await get(id)).toMatchObject({
      media_server: hostname(),
      name: 'rack',
      sg_path: 'virtual://rack/0',
      slots: 4,
      drives: 2,
      mail_slots: 1,
      cartridges: ['SR0001L8', 'CLN001L1'],
      cartridge_size: 8_388_608,
      faults: { door_open: false, robot: 'works', unreadable_barcodes: [], drives: [], cartridges: [] },
      status: 'Online',
    });
    const other = await superuser.send('POST', path, { media_server: hostname(), name: 'second' });
    expect(await get(other.data<{ id: number }>().id)).toMatchObject({ slots: 8, drives: 1, cartridges: [] });
    const listed = (await superuser.send('GET', path)).data<VirtualLibrary[]>();
    expect(listed.map(({ name }) => name)).toEqual(['rack', 'second']);
  });

  it('is a candidate, tells its slots, becomes a tape library and is synchronised', async () => {
    await make();
    const found = await candidates();
    expect(found.medium_changers).toMatchObject([
      { sg_path: 'virtual://rack/0', vendor: 'STRONGRM', slots_count: 4, drives_count: 2 },
    ]);
    const [robot] = found.medium_changers;
    expect(found.tape_drives.map((drive) => [drive.sg_path, drive.medium_changer_id])).toEqual([
      ['virtual://rack/1', robot?.id],
      ['virtual://rack/2', robot?.id],
    ]);
    const info = await superuser.send('POST', '/tape_libraries/candidates/info', {
      media_server: hostname(),
      medium_changer_sg_path: 'virtual://rack/0',
    });
    expect(info.data<CandidateInfo>().slots.filter(({ full }) => full)).toEqual([
      { number: 1, type: 'storage', barcode: 'SR0001L8', full: true },
      { number: 2, type: 'storage', barcode: 'CLN001L1', full: true },
    ]);
    const library = await addLibrary();
    expect((await superuser.send('GET', `/tape_libraries/${library}`)).data()).toMatchObject({
      status: 'Online',
      slots_count: 4,
    });
    const synced = await superuser.send('POST', `/tape_libraries/${library}/sync`);
    expect([synced.status, synced.data()]).toEqual([200, { slots_total: 4, cartridges: 2 }]);
  });

  it('makes a sync answer 422 with slot and barcode of a cartridge that nobody registered', async () => {
    const id = await make();
    const library = await addLibrary();
    const cartridges = ['SR0001L8', 'CLN001L1', 'NEW001L8'];
    const changed = await superuser.send('PATCH', `${path}/${id}`, { cartridges });
    expect(changed.data<VirtualLibrary>().cartridges.sort()).toEqual([...cartridges].sort());
    const refused = await superuser.send('POST', `/tape_libraries/${library}/sync`);
    expect([refused.status, refused.body.errors]).toEqual([422, { barcode: 'NEW001L8' }]);
    expect(refused.body.message).toContain('NEW001L8 (mail slot 1)');
  });

  it.each([
    [{ door_open: true }, 400, /device is not ready|not ready/],
    [{ unreadable_barcodes: ['SR0001L8'] }, 422, /no readable barcode on the cartridge in storage slot 1/],
  ])('does what it is told to do wrong: %j', async (faults, status, message) => {
    const id = await make();
    const library = await addLibrary();
    await superuser.send('PATCH', `${path}/${id}`, { faults });
    const refused = await superuser.send('POST', `/tape_libraries/${library}/sync`);
    expect(refused.status).toBe(status);
    expect(refused.body.message).toMatch(message);
    const mended = await superuser.send('PATCH', `${path}/${id}`, { faults: null });
    expect(mended.data<VirtualLibrary>().faults).toMatchObject({ door_open: false, unreadable_barcodes: [] });
    expect((await superuser.send('POST', `/tape_libraries/${library}/sync`)).status).toBe(200);
  });

  it('changes only the faults that are named, and keeps everything over a restart', async () => {
    const id = await make({ faults: { drives: [{ drive: 2, alerts: [20] }] } });
    await superuser.send('PATCH', `${path}/${id}`, {
      faults: { cartridges: [{ barcode: 'SR0001L8', early_warning_at: 1000 }] },
    });
    const before = await get(id);
    expect(before.faults).toMatchObject({
      drives: [{ drive: 2, reserved: false, becoming_ready: 0, attention: null, alerts: [20] }],
      cartridges: [{ barcode: 'SR0001L8', early_warning_at: 1000, end_at: null, read_error_at: null }],
    });
    await app.close();
    await start();
    expect(await get(id)).toEqual(before);
  });

  it('stays while a tape library uses it, and goes with its files after', async () => {
    const id = await make();
    const library = await addLibrary();
    const refused = await superuser.send('DELETE', `${path}/${id}`);
    expect([refused.status, refused.body.errors.ids]).toEqual([
      400,
      expect.stringContaining('a tape library uses virtual://rack/0'),
    ]);
    expect((await superuser.send('DELETE', `/tape_libraries/${library}`)).status).toBe(200);
    expect((await superuser.send('DELETE', path, { ids: [id] })).status).toBe(200);
    expect(existsSync(join(folder.path, 'virtual-libraries', 'rack'))).toBe(false);
    expect((await superuser.send('GET', `${path}/${id}`)).status).toBe(404);
    expect((await candidates()).medium_changers).toEqual([]);
    await make();
  });

  it.each([
    ['media_server', { media_server: 'nowhere' }],
    ['name', { name: '../rack' }],
    ['name', { name: 'virtual/rack' }],
    ['slots', { slots: 0 }],
    ['drives', { drives: 17 }],
    ['cartridges', { cartridges: ['SR0001L8', 'sr0001l8'] }],
    ['cartridges', { cartridges: ['A1', 'A2', 'A3', 'A4', 'A5'] }],
    ['cartridge_size', { cartridge_size: 5 }],
    ['faults', { faults: { drives: [{ drive: 3 }] } }],
  ])('is refused with a reason for %s: %j', async (field, more) => {
    const answer = await superuser.send('POST', path, draft(more));
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.errors).some((name) => name.startsWith(field))).toBe(true);
    expect(existsSync(join(folder.path, 'virtual-libraries', 'rack'))).toBe(false);
  });

  it('has a name of its own', async () => {
    await make();
    const answer = await superuser.send('POST', path, draft());
    expect([answer.status, answer.body.errors.name]).toEqual([400, expect.stringContaining('another')]);
  });

  it('takes nothing out of a library that is full of others, and says so', async () => {
    const id = await make();
    const many = ['SR0001L8', 'CLN001L1', 'N1', 'N2', 'N3', 'N4'];
    const answer = await superuser.send('PATCH', `${path}/${id}`, { cartridges: many });
    expect([answer.status, answer.body.errors.cartridges]).toEqual([
      400,
      expect.stringContaining('3 free slots for 4'),
    ]);
  });
});
