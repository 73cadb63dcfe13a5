import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScsiPortal } from '../../../contract/scsi-portals/scsi-portal.ts';
import { expectUniformList } from '../../suites/list-suite.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { createScriptedLibrary } from '../../support/scripted-library.ts';
import { startScriptedTarget } from '../engine/scsi/scripted-target.ts';

let app: TestApp;
let superuser: Session;
beforeEach(async () => {
  app = await startTestApp({ started: true });
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const draft = (more: Record<string, unknown> = {}) => ({
  media_server: hostname(),
  address: '192.0.2.10',
  user: 'backup',
  password: 'correct horse battery',
  ...more,
});
const create = (more?: Record<string, unknown>) => superuser.send('POST', '/scsi_portals', draft(more));

describe('iSCSI portals', () => {
  it('are added, listed and removed; the password is never answered and lies sealed', async () => {
    const answer = await create();
    expect([answer.status, answer.body.errors]).toEqual([201, {}]);
    const { id } = answer.data<{ id: number }>();
    const portal = (await superuser.send('GET', `/scsi_portals/${id}`)).data<ScsiPortal>();
    expect(portal).toEqual({
      id,
      media_server: hostname(),
      address: '192.0.2.10',
      port: 3260,
      user: 'backup',
      initiator_name: expect.stringMatching(/^iqn\.2026-11\.local\.strongroom:[a-z0-9.-]+$/),
      created: expect.any(String),
    });
    expect((await superuser.send('GET', '/scsi_portals')).data()).toEqual([portal]);
    const row = await app.database.db.selectFrom('scsi_portals').selectAll().executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain('horse');
    expect(row.password?.length).toBeGreaterThan(20);
    expect((await superuser.send('DELETE', '/scsi_portals', { ids: [id] })).data()).toEqual({ ids: [id] });
    expect((await superuser.send('GET', `/scsi_portals/${id}`)).status).toBe(404);
  });

  it('need neither port nor user, and take names and IPv6', async () => {
    for (const more of [
      { user: null, password: null },
      { address: 'Tape.Example.com', port: 860, user: undefined, password: undefined },
      { address: 'fe80::1' },
    ]) {
      expect((await create(more)).body.errors).toEqual({});
    }
    const listed = (await superuser.send('GET', '/scsi_portals')).data<ScsiPortal[]>();
    expect(listed.map(({ address, port, user }) => [address, port, user])).toEqual([
      ['192.0.2.10', 3260, null],
      ['tape.example.com', 860, null],
      ['fe80::1', 3260, 'backup'],
    ]);
  });

  it.each([
    ['media_server', { media_server: 'nowhere' }, 'there is no media server'],
    ['address', { address: 'host:3260' }, 'without port and brackets'],
    ['address', { address: '[::1]' }, 'without port and brackets'],
    ['address', { address: 'a b' }, 'without port and brackets'],
    ['address', { address: '' }, 'must be a name'],
    ['port', { port: 0 }, '1 to 65535'],
    ['port', { port: 70_000 }, '1 to 65535'],
    ['password', { password: null }, 'CHAP needs user and password'],
    ['user', { user: null }, 'CHAP needs user and password'],
    ['password', { password: 'ä'.repeat(128) }, '255 bytes'],
  ])('are refused with the field %s for %o', async (field, more, words) => {
    const answer = await create(more);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual({ [field]: expect.stringContaining(words) });
  });

  it('are a list like any other', async () => {
    await create();
    await create({ port: 3261 });
    await expectUniformList((method, path) => superuser.send(method, path), '/scsi_portals');
  });

  it('are there once on each media server', async () => {
    await create();
    const again = await create({ address: '192.0.2.10', port: 3260 });
    expect([again.status, Object.keys(again.body.errors)]).toEqual([400, ['address']]);
    expect((await create({ port: 3261 })).status).toBe(201);
  });

  it('that stay silent or talk nonsense hide no other device, and are told in the log', async () => {
    const mad = await startScriptedTarget((_pdu, answer) => {
      answer.raw(Buffer.from('220 mail.example.com ESMTP ready, more text than a header has\r\n'));
      return true;
    });
    await create({ address: '127.0.0.1', port: mad.port });
    const query = `media_server=${encodeURIComponent(hostname())}&adding_type=auto`;
    const answer = await superuser.send('GET', `/tape_libraries/candidates?${query}`);
    expect(answer.status).toBe(200);
    expect(mad.connections).toBe(1);
    await mad.stop();
  });
});

it('a portal whose library is in use stays', async () => {
  await app.close();
  const library = createScriptedLibrary({ name: 'one', barcodes: ['A00001L8'] });
  app = await startTestApp({ started: true, libraryDrivers: [library.driver] });
  superuser = await app.loginAs('superuser');
  const { id } = (await create()).data<{ id: number }>();
  const pool = { pool_name: 'Tapes', pool_type: 'Tape library', media_server: hostname() };
  await superuser.send('POST', '/pools', pool);
  const query = `media_server=${encodeURIComponent(hostname())}&adding_type=auto`;
  const found = (await superuser.send('GET', `/tape_libraries/candidates?${query}`)).data<{
    medium_changers: { id: number }[];
    tape_drives: { id: number }[];
  }>();
  const added = await superuser.send('POST', '/tape_libraries', {
    pool: 'Tapes',
    media_server: hostname(),
    medium_changer_candidate_id: found.medium_changers[0]?.id,
    tape_drives_candidates_ids: found.tape_drives.map((drive) => drive.id),
  });
  expect(added.status).toBe(201);
  await app.database.db
    .updateTable('tape_devices')
    .set({ sg_path: 'iscsi://192.0.2.10:3260/iqn.2026-11.example:x/1' })
    .execute();
  const refused = await superuser.send('DELETE', `/scsi_portals/${id}`);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body.errors)).toContain('remove the library first');
  await app.database.db.updateTable('tape_devices').set({ tape_library_id: null }).execute();
  expect((await superuser.send('DELETE', `/scsi_portals/${id}`)).status).toBe(200);
});
