import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Auditor } from '../../../contract/auditors/auditor.ts';
import type { User } from '../../../contract/users/user.ts';
import { handClock, type Session, startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
let superuser: Session;

beforeEach(async () => {
  app = await startTestApp({ started: true, clock: handClock(new Date(2030, 0, 15, 12).getTime()) });
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const makeUser = async (name: string, roles: readonly string[]): Promise<number> => {
  const data = { user_name: name, password: 'password-1', roles };
  const answer = await superuser.send('POST', '/users', { data });
  expect(answer.status).toBe(201);
  return answer.data<{ id: number }>().id;
};
const rolesOf = async (id: number) => (await superuser.send('GET', `/users/${id}`)).data<User>().roles;
const list = async () => (await superuser.send('GET', '/auditors')).data<Auditor[]>();

describe('giving the role of auditor', () => {
  it('adds it to what the user holds, and keeps when and by whom', async () => {
    const user = await makeUser('maria', ['maintainer']);
    const answer = await superuser.send('POST', '/auditors', { data: { auditor: 'maria' } });
    expect(answer.status).toBe(201);
    const { id } = answer.data<{ id: number }>();
    expect((await superuser.send('GET', `/auditors/${id}`)).data()).toEqual({
      id,
      auditor: 'maria',
      assigned_by: superuser.userName,
      created: '2030-01-15T12:00:00',
    });
    expect(await rolesOf(user)).toEqual(['maintainer', 'auditor']);
    const maria = await app.login('maria', 'password-1');
    const held = (await maria.send('GET', '/auth/permissions')).data<{ permissions: string[] }>().permissions;
    expect(held).toEqual(expect.arrayContaining(['pools.write', 'auditors.read']));
  });

  it.each([
    ['nobody', {}, 'there is no user'],
    ['an auditor', { auditor: 'anna' }, 'already'],
    ['a superuser', { auditor: 'root' }, 'superuser'],
  ])('is refused for %s', async (_whom, body, reason) => {
    await makeUser('anna', ['auditor']);
    await makeUser('root', ['superuser']);
    const answer = await superuser.send('POST', '/auditors', { auditor: 'nobody', ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors.auditor).toContain(reason);
    expect((await list()).map(({ auditor }) => auditor)).toEqual(['anna']);
  });

  it('through the users shows here, and the other way round', async () => {
    const id = await makeUser('otto', ['administrator']);
    await superuser.send('PATCH', `/users/${id}`, { roles: ['administrator', 'auditor'] });
    expect((await list()).map(({ auditor }) => auditor)).toEqual(['otto']);
    await superuser.send('PATCH', `/users/${id}`, { roles: ['administrator'] });
    expect(await list()).toEqual([]);
  });
});

describe('taking the role of auditor', () => {
  it('leaves the other roles, and a user without any can only log in', async () => {
    const both = await makeUser('maria', ['maintainer', 'auditor']);
    const only = await makeUser('anna', ['auditor']);
    const anna = await app.login('anna', 'password-1');
    const ids = (await list()).map(({ id }) => id);
    const answer = await superuser.send('DELETE', '/auditors', { ids });
    expect(answer).toMatchObject({ status: 200, body: { data: { ids } } });
    expect([await rolesOf(both), await rolesOf(only)]).toEqual([['maintainer'], []]);
    expect((await anna.send('GET', '/pools')).status).toBe(403);
  });

  it('is all or nothing', async () => {
    await makeUser('anna', ['auditor']);
    const [first] = await list();
    const answer = await superuser.send('DELETE', '/auditors', { ids: [first?.id, 777] });
    expect(answer.status).toBe(404);
    expect(await list()).toHaveLength(1);
    expect((await superuser.send('DELETE', `/auditors/${first?.id}`)).status).toBe(200);
    expect((await superuser.send('DELETE', `/auditors/${first?.id}`)).status).toBe(404);
  });

  it('happens by itself when the user goes', async () => {
    const id = await makeUser('anna', ['auditor']);
    await superuser.send('DELETE', `/users/${id}`);
    expect(await list()).toEqual([]);
  });
});

it('lists auditors by name and by who made them', async () => {
  for (const name of ['anna', 'berta', 'carla']) await makeUser(name, ['auditor']);
  const names = async (query: string) =>
    (await superuser.send('GET', `/auditors${query}`)).data<Auditor[]>().map(({ auditor }) => auditor);
  expect(await names('?sort=auditor&order=desc&limit=2')).toEqual(['carla', 'berta']);
  expect(await names('?search=ERT')).toEqual(['berta']);
  expect(await names('?auditor=anna')).toEqual(['anna']);
});
