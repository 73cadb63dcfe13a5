import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CandidateInfo } from '../../../contract/tape-libraries/tape-library.ts';
import { createScriptedLibrary, type ScriptedLibrary } from '../../support/scripted-library.ts';
import { rowsOf } from '../features/rows.ts';
import { type LibraryBench, path, startLibraryBench } from './support.ts';

let one: ScriptedLibrary;
let two: ScriptedLibrary;
let bench: LibraryBench;

beforeEach(async () => {
  one = createScriptedLibrary({ name: 'one', barcodes: ['A00001L8', 'CLN001L1', 'A00002L8'] });
  two = createScriptedLibrary({ name: 'two', drives: [500], barcodes: ['B00001L8'] });
  bench = await startLibraryBench([one, two]);
});
afterEach(() => bench.app.close());

const info = (body: unknown) => bench.superuser.send('POST', `${path}/candidates/info`, body);

describe('candidates', () => {
  it('are the robots and drives that a scan finds, drives with the robot they seem to belong to', async () => {
    const found = await bench.candidates();
    const [robot, other] = found.medium_changers;
    expect(robot).toEqual({
      id: expect.any(Number),
      vendor: 'ACME',
      model: 'Robot 3000',
      serial: 'LIB-one',
      sg_path: one.path,
      slots_count: 8,
      drives_count: 2,
    });
    expect(found.tape_drives.map((drive) => drive.medium_changer_id)).toEqual([
      robot?.id,
      robot?.id,
      other?.id,
    ]);
    expect(found.tape_drives[0]).toMatchObject({ serial: 'DRV-one-1', st_path: null });
  });

  it('are not paired when they are added by hand', async () => {
    const { tape_drives: drives } = await bench.candidates('manual');
    expect(drives.map((drive) => drive.medium_changer_id)).toEqual([null, null, null]);
  });

  it('keep their ids from call to call, also under another path after a restart of the host', async () => {
    const before = await bench.candidates();
    expect(await bench.candidates()).toEqual(before);
    one.replug('-moved');
    const after = await bench.candidates();
    expect(after.medium_changers[0]).toMatchObject({ id: before.medium_changers[0]?.id, sg_path: one.path });
    expect(after.tape_drives.map(({ id }) => id)).toEqual(before.tape_drives.map(({ id }) => id));
  });

  it('have one numbering, so that no id means a robot and a drive (case 124)', async () => {
    const { medium_changers: changers, tape_drives: drives } = await bench.candidates();
    const ids = [...changers, ...drives].map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
  });

  it('of the other drivers are listed when one driver fails', async () => {
    one.fail('scan', 'permanent');
    expect((await bench.candidates()).medium_changers.map(({ serial }) => serial)).toEqual(['LIB-two']);
  });

  it.each([
    ['', ['media_server', 'adding_type']],
    ['media_server=x', ['adding_type']],
    ['adding_type=auto', ['media_server']],
    [`media_server=${hostname()}&adding_type=guess`, ['adding_type']],
  ])('are refused for the query "%s"', async (query, fields) => {
    const answer = await bench.superuser.send('GET', `${path}/candidates?${query}`);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, fields]);
  });

  it('of an unknown media server are a 404, of one out of reach a 400', async () => {
    const ask = (server: string) =>
      bench.superuser.send('GET', `${path}/candidates?media_server=${server}&adding_type=auto`);
    expect((await ask('nowhere')).status).toBe(404);
    await rowsOf(bench.app.database.db).mediaServer('far');
    expect((await ask('far')).body.errors).toHaveProperty('media_server');
  });
});

describe('the information on a candidate', () => {
  it('is the robot with its slots, counted for each kind from 1', async () => {
    one.insert(1, 'A00009L8');
    one.insert(1027, null);
    const answer = await info({ data: { media_server: hostname(), medium_changer_sg_path: one.path } });
    expect(answer.status).toBe(200);
    const { medium_changer: changer, slots } = answer.data<CandidateInfo>();
    expect(changer).toMatchObject({ sg_path: one.path, slots_count: 8, drives_count: 2 });
    expect(slots.slice(0, 5)).toEqual([
      { number: 1, type: 'storage', barcode: 'A00001L8', full: true },
      { number: 2, type: 'storage', barcode: 'CLN001L1', full: true },
      { number: 3, type: 'storage', barcode: 'A00002L8', full: true },
      { number: 4, type: 'storage', barcode: null, full: true },
      { number: 5, type: 'storage', barcode: null, full: false },
    ]);
    expect(slots.slice(8)).toEqual([
      { number: 1, type: 'mail', barcode: null, full: false },
      { number: 1, type: 'drive', barcode: 'A00009L8', full: true },
      { number: 2, type: 'drive', barcode: null, full: false },
    ]);
  });

  it('is there for a robot in use too, because the tree has no slots (case 132)', async () => {
    const id = await bench.added();
    const used = await bench.get(id);
    expect((await info({ media_server: hostname(), medium_changer_sg_path: used.sg_path })).status).toBe(200);
  });

  it('is refused for bad bodies, and a 404 for a path without a robot', async () => {
    const body = { media_server: hostname(), medium_changer_sg_path: one.path };
    const fields = async (more: Record<string, unknown>) => {
      const answer = await info({ ...body, ...more });
      return [answer.status, ...Object.keys(answer.body.errors)];
    };
    expect(await fields({ medium_changer_sg_path: undefined })).toEqual([400, 'medium_changer_sg_path']);
    expect(await fields({ media_server: 'nowhere' })).toEqual([400, 'media_server']);
    expect(await fields({ colour: 'red' })).toEqual([400, 'colour']);
    expect(await fields({ medium_changer_sg_path: '/dev/sg77' })).toEqual([404, 'medium_changer_sg_path']);
    expect(await fields({ medium_changer_sg_path: '/dev/../etc/passwd' })).toEqual([
      404,
      'medium_changer_sg_path',
    ]);
  });

  it('says clearly that a robot cannot be read, and closes it', async () => {
    one.fail('inventory', 'transient');
    const answer = await info({ media_server: hostname(), medium_changer_sg_path: one.path });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('fails inventory')]);
    expect(one.openChangers()).toBe(0);
  });
});

describe('adding a library', () => {
  it('takes robot and drives, flat or wrapped, and answers the record', async () => {
    const id = await bench.added({ description: 'in the cellar' });
    const record = await bench.get(id);
    expect(record).toEqual({
      id,
      pool: 'Tapes',
      media_server: hostname(),
      description: 'in the cellar',
      vendor: 'ACME',
      model: 'Robot 3000',
      serial: 'LIB-one',
      sg_path: one.path,
      slots_count: 8,
      status: 'Online',
      medium_changers: [expect.objectContaining({ serial: 'LIB-one', slots_count: 8, drives_count: 2 })],
      tape_drives: [
        {
          id: expect.any(Number),
          sg_path: 'scripted://one/1',
          model: 'Drive 9',
          serial: 'DRV-one-1',
          status: 'Empty',
          barcode: null,
          alerts: [],
          alerts_read: null,
          needs_cleaning: false,
          cleaned: null,
        },
        expect.objectContaining({ serial: 'DRV-one-2' }),
      ],
      last_sync: null,
      robot_unloads: false,
    });
    await bench.makePool('Second');
    const wrapped = { data: await bench.draft({ pool: 'Second' }) };
    expect((await bench.superuser.send('POST', path, wrapped)).status).toBe(201);
    expect((await bench.superuser.send('GET', path)).headers['x-total-count']).toBe('2');
  });

  it('registers the cartridges in its storage slots; cleaning units are never media (case 107)', async () => {
    one.insert(768, 'A00008L8');
    one.insert(1, 'A00009L8');
    one.insert(1030, null);
    one.insert(1031, 'A\u001b[2J01');
    one.insert(1029, `<img src=x onerror="alert(1)">'--`.slice(0, 32));
    await bench.added();
    expect(await bench.cartridges()).toEqual([
      { barcode: 'A00001L8', state: 'unlabelled', location: 'storage', address: 1024 },
      { barcode: 'CLN001L1', state: 'cleaning', location: 'storage', address: 1025 },
      { barcode: 'A00002L8', state: 'unlabelled', location: 'storage', address: 1026 },
      {
        barcode: '<img src=x onerror="alert(1)">\'-',
        state: 'unlabelled',
        location: 'storage',
        address: 1029,
      },
    ]);
    expect((await bench.get(1)).tape_drives[0]).toMatchObject({ status: 'Loaded', barcode: 'A00009L8' });
  });

  it('uses up its candidates; they are free again when it is removed', async () => {
    const before = await bench.candidates();
    const id = await bench.added();
    const left = await bench.candidates();
    expect(left.medium_changers.map(({ serial }) => serial)).toEqual(['LIB-two']);
    expect(left.tape_drives.map(({ serial }) => serial)).toEqual(['DRV-two-1']);
    expect((await bench.superuser.send('DELETE', `${path}/${id}`)).status).toBe(200);
    expect(await bench.candidates()).toEqual(before);
    expect(await bench.cartridges()).toEqual([]);
  });

  it('refuses candidates that are unknown, used, of the other kind or gone', async () => {
    const draft = await bench.draft();
    const robot = draft.medium_changer_candidate_id as number;
    const drives = draft.tape_drives_candidates_ids as number[];
    const fields = async (more: Record<string, unknown>) => {
      const answer = await bench.superuser.send('POST', path, { ...draft, ...more });
      return [answer.status, ...Object.keys(answer.body.errors)];
    };
    const changer = 'medium_changer_candidate_id';
    const ofDrives = 'tape_drives_candidates_ids';
    expect(await fields({ [changer]: 999 })).toEqual([400, changer]);
    expect(await fields({ [ofDrives]: [999] })).toEqual([400, ofDrives]);
    expect(await fields({ [changer]: drives[0] })).toEqual([400, changer]);
    expect(await fields({ [ofDrives]: [robot] })).toEqual([400, ofDrives]);
    expect(await fields({ [ofDrives]: [] })).toEqual([400, ofDrives]);
    one.unplug();
    expect(await fields({})).toEqual([400, changer]);
    one.plugIn();
    await bench.added();
    await bench.makePool('Second');
    expect(await fields({ pool: 'Second' })).toEqual([400, changer]);
    const other = (await bench.candidates()).medium_changers[0]?.id;
    expect(await fields({ pool: 'Second', [changer]: other })).toEqual([400, ofDrives]);
    expect((await bench.superuser.send('GET', path)).data()).toHaveLength(1);
  });

  it.each([
    ['pool', { pool: undefined }],
    ['pool', { pool: 'Nowhere' }],
    ['pool', { pool: 'Default' }],
    ['pool', { pool: 'Far' }],
    ['media_server', { media_server: undefined }],
    ['media_server', { media_server: 'nowhere' }],
    ['medium_changer_candidate_id', { medium_changer_candidate_id: undefined }],
    ['medium_changer_candidate_id', { medium_changer_candidate_id: 'x' }],
    ['tape_drives_candidates_ids', { tape_drives_candidates_ids: undefined }],
    ['tape_drives_candidates_ids', { tape_drives_candidates_ids: 5 }],
    ['description', { description: 5 }],
    ['colour', { colour: 'red' }],
  ])('is refused by the field %s: %j', async (field, more) => {
    await rowsOf(bench.app.database.db).mediaServer('far');
    await bench.makePool('Far', { media_server: 'far' });
    const answer = await bench.create(more);
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]]);
  });

  it('is refused for a pool that has one, also when two calls come at once', async () => {
    const first = await bench.draft();
    const [, robot] = (await bench.candidates()).medium_changers;
    const [, , drive] = (await bench.candidates()).tape_drives;
    const second = {
      ...first,
      medium_changer_candidate_id: robot?.id,
      tape_drives_candidates_ids: [drive?.id],
    };
    const answers = await Promise.all(
      [first, second].map((body) => bench.superuser.send('POST', path, body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(answers.find(({ status }) => status === 400)?.body.errors).toHaveProperty('pool');
  });

  it('is refused when the robot cannot be read; nothing is kept', async () => {
    for (const failure of ['permanent', 'busy', 'bug'] as const) {
      one.fail('inventory', failure);
      const answer = await bench.create();
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([
        400,
        ['medium_changer_candidate_id'],
      ]);
      expect(answer.body.message).not.toContain('secret');
    }
    expect(one.openChangers()).toBe(0);
    expect((await bench.superuser.send('GET', path)).data()).toEqual([]);
  });

  it('is refused for a robot that tells of no slots: that is no empty library (case 112)', async () => {
    one.hide('storage');
    expect((await bench.create()).body.message).toContain('no storage slots');
  });

  it('is refused while two cartridges have one barcode (case 109)', async () => {
    one.insert(1030, 'a00001l8');
    const answer = await bench.create();
    expect(answer.status).toBe(400);
    expect(answer.body.errors.medium_changer_candidate_id).toContain('storage slot 1, storage slot 7');
  });
});
