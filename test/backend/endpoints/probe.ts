import { expect } from 'vitest';
import type { Answer, Send } from '../../support/backend.ts';
import { whyNotDescribed } from '../../support/described-answers.ts';
import { type SpecifiedRow, specifiedRows } from './specified-rows.ts';

type Method = Parameters<Send>[0];

interface Details {
  /** What stands in the path for `{…}`. */
  readonly id?: number | string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another caller than the superuser. */
  readonly send?: Send;
}

export interface Probe {
  /** Calls the row of the specification, expects the code and remembers that it was seen. */
  see(code: number, row: string, details?: Details): Promise<Answer>;
  /** A creation: 201, answers the new id. */
  create(row: string, body: unknown): Promise<number>;
  /** Rows with what is still missing of them. */
  missing(): readonly string[];
  /** One line for each row. */
  report(): string;
}

export function createProbe(send: Send): Probe {
  const seen = new Map<string, Set<number>>(specifiedRows.map((row) => [keyOf(row), new Set()]));

  const see: Probe['see'] = async (code, row, details = {}) => {
    const codes = seen.get(row);
    if (!codes) throw new Error(`the specification has no ${row}`);
    const [method = '', template = ''] = row.split(' ');
    const path = template.replace(/\{[a-z_]+\}/, String(details.id ?? ''));
    const query = details.query ? `?${new URLSearchParams(details.query)}` : '';
    const call = details.send ?? send;
    const answer = await call(method as Method, `${path}${query}`, details.body, details.headers);
    expect({ row, status: answer.status, body: answer.status === code ? '' : answer.body }).toEqual({
      row,
      status: code,
      body: '',
    });
    expectEnvelope(answer);
    // An address that the server does not know is no answer of the endpoint.
    if (code === 404) expect([row, answer.body.errors.path]).toEqual([row, undefined]);
    expect(whyNotDescribed(row, answer.status, answer.body)).toBeNull();
    codes.add(code);
    return answer;
  };

  const lacking = (row: SpecifiedRow) => row.codes.filter((code) => !seen.get(keyOf(row))?.has(code));
  return {
    see,
    create: async (row, body) => (await see(201, row, { body })).data<{ id: number }>().id,
    missing: () =>
      specifiedRows
        .filter((row) => lacking(row).length > 0)
        .map((row) => `${keyOf(row)}: ${lacking(row).join(', ')} not seen`),
    report: () => {
      const complete = specifiedRows.filter((row) => lacking(row).length === 0);
      return [
        ...specifiedRows.map((row) => lineOf(row, seen.get(keyOf(row)) ?? new Set())),
        `${complete.length} of ${specifiedRows.length} endpoints`,
      ].join('\n');
    },
  };
}

const keyOf = ({ method, path }: SpecifiedRow) => `${method} ${path}`;

function lineOf(row: SpecifiedRow, seen: ReadonlySet<number>): string {
  const codes = row.codes.map((code) => (seen.has(code) ? String(code) : `(${code})`)).join(' ');
  return `${row.method.padEnd(6)} ${row.path.padEnd(42)} ${codes}`;
}

/** Every JSON answer has the one form; an answer 204 has no body at all. */
function expectEnvelope({ status, body }: Answer): void {
  if (status === 204) {
    expect(body).toBeNull();
    return;
  }
  expect(Object.keys(body).sort()).toEqual(['data', 'errors', 'is_error', 'message']);
  expect(body.is_error).toBe(status === 207 || status >= 400);
  if (status >= 400) expect([body.data, body.message === '']).toEqual([null, false]);
  else if (status !== 207) expect([body.errors, body.message]).toEqual([{}, '']);
}
