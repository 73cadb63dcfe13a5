import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectUniformList, furnishedLists } from '../../suites/list-suite.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
let superuser: Session;

beforeAll(async () => {
  app = await startTestApp({ started: true });
  superuser = await app.loginAs('superuser');
});
afterAll(() => app.close());

describe('lists', () => {
  it.each(furnishedLists)('%s sorts, filters and searches by every field', (path) =>
    expectUniformList((method, query) => superuser.send(method, query), path),
  );
});
