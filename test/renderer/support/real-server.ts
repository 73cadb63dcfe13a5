import { api } from '../../../contract/api.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { readAnswer } from '../../../main/api/answer.ts';
import { buildRequest } from '../../../main/api/request.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import type { Session, TestApp } from '../../support/backend.ts';
import { type installBridge, Refused } from './fake-bridge.ts';

/** Every endpoint of a real server, asked and read as main does it, as answers of the bridge. */
export function answersOf(app: TestApp, session: Session): NonNullable<Parameters<typeof installBridge>[0]> {
  const ask = (endpoint: Endpoint) => async (input: unknown) => {
    try {
      const { method, path, body } = buildRequest(endpoint, input);
      const {
        statusCode,
        headers,
        body: text,
      } = await app.app.inject({
        method,
        url: path,
        headers: {
          host: '127.0.0.1',
          authorization: `Bearer ${session.accessToken}`,
          ...(body === null ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === null ? {} : { payload: body }),
      });
      return readAnswer(endpoint, {
        status: statusCode,
        contentType: String(headers['content-type'] ?? ''),
        totalCount: headers['x-total-count'] === undefined ? null : String(headers['x-total-count']),
        date: null,
        text,
      });
    } catch (error) {
      const problem = problemOf(error);
      throw problem === undefined ? error : new Refused(problem);
    }
  };
  return Object.fromEntries(Object.entries(api).map(([name, endpoint]) => [name, ask(endpoint)]));
}
