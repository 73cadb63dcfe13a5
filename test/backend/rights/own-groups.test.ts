import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../../contract/permissions.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { rowsOf } from '../features/rows.ts';

let backend: TestApp;
let root: Session;
let ownGroup: number;
let mine: number;
let foreign: number;
let foreignTask: number;

beforeAll(async () => {
  backend = await startTestApp({ started: true });
  root = await backend.loginAs('superuser');
  await root.send('PATCH', '/global_configuration/service_mode', { service_mode: true });
  const made = async (name: string) =>
    (await root.send('POST', '/client_groups', { name })).data<{ id: number }>().id;
  const rows = rowsOf(backend.database.db);
  ownGroup = await made('Own');
  mine = await rows.client({ groupId: ownGroup });
  foreign = await rows.client({ groupId: await made('Foreign') });
  foreignTask = await rows.task({ status: 'new', clientId: foreign });
});
afterAll(() => backend.close());

const loginWith = (...others: readonly Role[]) =>
  backend.loginAs(['administrator', ...others], { clientGroupIds: [ownGroup] });
const idsOf = async ({ send }: Session, path: string) =>
  (await send('GET', path)).data<{ id: number }[]>().map(({ id }) => id);
const statusOf = async ({ send }: Session, ...call: Parameters<Session['send']>) =>
  (await send(...call)).status;
const describeClient = (session: Session, id: number) =>
  statusOf(session, 'PATCH', `/clients/${id}`, { description: 'seen' });

describe('an administrator with own client groups', () => {
  it('sees and changes what belongs to them, and nothing else exists', async () => {
    const session = await loginWith();
    expect(await idsOf(session, '/clients')).toEqual([mine]);
    expect(await idsOf(session, '/tasks')).toEqual([]);
    expect(await statusOf(session, 'GET', `/clients/${foreign}`)).toBe(404);
    expect(await describeClient(session, mine)).toBe(200);
    expect(await describeClient(session, foreign)).toBe(404);
    expect(await statusOf(session, 'POST', `/tasks/${foreignTask}/pause`)).toBe(404);
  });

  it('who is an auditor too reads everything, and still changes own groups only', async () => {
    const session = await loginWith('auditor');
    expect(await idsOf(session, '/clients')).toEqual(expect.arrayContaining([mine, foreign]));
    expect(await idsOf(session, '/tasks')).toEqual([foreignTask]);
    expect(await statusOf(session, 'GET', `/clients/${foreign}`)).toBe(200);
    expect(await describeClient(session, mine)).toBe(200);
    expect(await describeClient(session, foreign)).toBe(404);
    expect(await statusOf(session, 'POST', `/tasks/${foreignTask}/pause`)).toBe(404);
    expect(await statusOf(session, 'DELETE', '/tasks', { ids: [foreignTask] })).toBe(404);
  });

  it('who is a maintainer too operates every task, but changes own clients only', async () => {
    const session = await loginWith('maintainer');
    expect(await idsOf(session, '/clients')).toEqual(expect.arrayContaining([mine, foreign]));
    expect(await describeClient(session, foreign)).toBe(404);
    expect(await statusOf(session, 'POST', `/tasks/${foreignTask}/pause`)).toBe(204);
  });

  it('who is a supervisor too has no limit', async () => {
    expect(await describeClient(await loginWith('supervisor'), foreign)).toBe(200);
  });
});
