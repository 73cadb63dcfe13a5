import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  CandidateInfo,
  TapeCandidates,
  TapeLibrary,
} from '../../../contract/tape-libraries/tape-library.ts';
import { startTapeLibrary, type TapeLibraryLab } from '../../lab/tape/tape-library.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';

const chap = { user: 'backup', password: 'correct-horse' };
let lab: TapeLibraryLab;
let app: TestApp;
let superuser: Session;
let library: number;

beforeAll(async () => {
  lab = await startTapeLibrary({ chap, barcodes: ['A00001L8', 'A00002L8', 'CLN001L1'] });
  app = await startTestApp({ started: true });
  superuser = await app.loginAs('superuser');
  const pool = { pool_name: 'Tapes', pool_type: 'Tape library', media_server: hostname() };
  expect((await superuser.send('POST', '/pools', pool)).status).toBe(201);
});
afterAll(async () => {
  await app?.close();
  await lab?.stop();
});

const candidates = async (): Promise<TapeCandidates> => {
  const query = `media_server=${encodeURIComponent(hostname())}&adding_type=auto`;
  return (await superuser.send('GET', `/tape_libraries/candidates?${query}`)).data<TapeCandidates>();
};
const addPortal = async (password: string): Promise<number> => {
  const portal = {
    media_server: hostname(),
    address: lab.address,
    port: lab.port,
    user: chap.user,
    password,
  };
  const answer = await superuser.send('POST', '/scsi_portals', portal);
  expect(answer.body.errors).toEqual({});
  return answer.data<{ id: number }>().id;
};

describe('a tape library behind a portal, through the API', () => {
  it('is no candidate without the portal, nor with a wrong password', async () => {
    const atLab = async () =>
      (await candidates()).medium_changers.filter(({ sg_path: path }) => path.startsWith('iscsi://'));
    expect(await atLab()).toEqual([]);
    const id = await addPortal('wrong-password');
    expect(await atLab()).toEqual([]);
    expect((await superuser.send('DELETE', `/scsi_portals/${id}`)).status).toBe(200);
  });

  it('is a candidate with the right one, and tells its slots', async () => {
    await addPortal(chap.password);
    const found = await candidates();
    expect(found.medium_changers).toMatchObject([
      { sg_path: lab.path(3), vendor: 'LAB', serial: 'LIB00001', slots_count: 8, drives_count: 2 },
    ]);
    expect(found.tape_drives.map(({ sg_path: path, serial }) => [path, serial])).toEqual([
      [lab.path(1), 'DRV00001'],
      [lab.path(2), 'DRV00002'],
    ]);
    const answer = await superuser.send('POST', '/tape_libraries/candidates/info', {
      media_server: hostname(),
      medium_changer_sg_path: lab.path(3),
    });
    const info = answer.data<CandidateInfo>();
    expect(info.slots.filter(({ full }) => full).map(({ barcode }) => barcode)).toEqual([
      'A00001L8',
      'A00002L8',
      'CLN001L1',
    ]);
  });

  it('becomes a library whose cartridges are registered, cleaning ones as such (case 107)', async () => {
    const found = await candidates();
    const answer = await superuser.send('POST', '/tape_libraries', {
      pool: 'Tapes',
      media_server: hostname(),
      medium_changer_candidate_id: found.medium_changers[0]?.id,
      tape_drives_candidates_ids: found.tape_drives.map(({ id }) => id),
    });
    expect(answer.body.errors).toEqual({});
    library = answer.data<{ id: number }>().id;
    const shown = (await superuser.send('GET', `/tape_libraries/${library}`)).data<TapeLibrary>();
    expect(shown).toMatchObject({ status: 'Online', slots_count: 8 });
    const rows = await app.database.db.selectFrom('cartridges').select(['barcode', 'state']).execute();
    expect(rows).toEqual([
      { barcode: 'A00001L8', state: 'unlabelled' },
      { barcode: 'A00002L8', state: 'unlabelled' },
      { barcode: 'CLN001L1', state: 'cleaning' },
    ]);
  });

  it('refuses a sync while an unregistered cartridge is in the mail slot, and changes nothing', async () => {
    await lab.makeCartridge('B00001L8');
    await lab.place('mail', 768, 'B00001L8');
    const answer = await superuser.send('POST', `/tape_libraries/${library}/sync`);
    expect([answer.status, answer.body.errors]).toEqual([422, { barcode: 'B00001L8' }]);
    await lab.place('mail', 768, null);
    const again = await superuser.send('POST', `/tape_libraries/${library}/sync`);
    expect(again.data()).toEqual({ slots_total: 8, cartridges: 3 });
  });

  it('is offline when its target has died, and comes back', async () => {
    await lab.kill();
    const failed = await superuser.send('POST', `/tape_libraries/${library}/sync`);
    expect(failed.status).toBe(400);
    const shown = (await superuser.send('GET', `/tape_libraries/${library}`)).data<TapeLibrary>();
    expect(shown.status).toBe('Offline');
    await lab.restart();
    expect((await superuser.send('POST', `/tape_libraries/${library}/sync`)).status).toBe(200);
    const back = (await superuser.send('GET', `/tape_libraries/${library}`)).data<TapeLibrary>();
    expect(back.status).toBe('Online');
  });
});
