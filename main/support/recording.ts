import type { ApiName } from '../../contract/api.ts';
import type { Connection } from '../../contract/desktop/connection.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { endpoints } from '../api/endpoints.ts';
import { readTolerantly, WrongShape } from '../api/tolerant.ts';
import { ProblemError } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';
import type { Bundle } from './bundle-file.ts';
import { exchangeKey } from './exchange-key.ts';

/** A support bundle as a server that can be looked at: it answers what it was asked while it was made, and nothing else. */
export interface Recording {
  readonly connection: Connection;
  readonly call: (name: ApiName, input: unknown) => unknown;
}

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
}

export function openRecording(id: string, bundle: Bundle): Recording {
  const answers = new Map<string, Bundle['exchanges'][number]['outcome']>();
  const wholeLists = new Map<string, Page>();
  for (const { name, input, outcome } of bundle.exchanges) {
    if (outcome.kind === 'later' || outcome.kind === 'tooLarge') continue;
    // A failure does not hide what was answered before it.
    const key = exchangeKey(name, input);
    if (outcome.kind === 'answer' || !answers.has(key)) answers.set(key, outcome);
    if (
      outcome.kind === 'answer' &&
      isPage(outcome.value) &&
      outcome.value.items.length >= outcome.value.total
    )
      wholeLists.set(listKey(name, input), outcome.value);
  }
  const { state, kind: _kind, ...told } = bundle.connection;
  return {
    connection: {
      ...told,
      id,
      kind: 'recorded',
      remember: false,
      group: '',
      colour: 'grey',
      pinnedFingerprint: null,
      state: {
        ...state,
        phase: 'connected',
        since: bundle.made,
        detail: null,
        problem: null,
        retryAt: null,
        live: false,
        permissions: state.permissions.filter((permission) => permission.endsWith('.read')),
      },
    },
    call: async (name, input) => {
      const endpoint: Endpoint = (await endpoints())[name];
      if (!isRead(endpoint))
        throw new ProblemError({
          kind: 'refused',
          code: 'readOnly',
          message: t('bundle.readOnly'),
        });
      const outcome = answers.get(exchangeKey(name, input));
      if (outcome?.kind === 'answer') return checked(endpoint, outcome.value);
      const whole = endpoint.list ? wholeLists.get(listKey(name, input)) : undefined;
      if (whole) return checked(endpoint, pageOf(whole, queryOf(input)));
      if (outcome?.kind === 'problem') throw new ProblemError(outcome.problem);
      throw new ProblemError({
        kind: 'refused',
        code: 'notRecorded',
        message: t('bundle.notRecorded'),
      });
    },
  };
}

/** A file can hold anything; a screen gets only what the declaration of the call allows. */
function checked(endpoint: Endpoint, value: unknown): unknown {
  try {
    if (!endpoint.list) return value === null ? null : readTolerantly(endpoint.result, value);
    if (!isPage(value)) throw new WrongShape(t('bundle.noList'));
    return { items: readTolerantly(endpoint.result, value.items), total: value.total };
  } catch (error) {
    if (!(error instanceof WrongShape)) throw error;
    throw new ProblemError(
      {
        kind: 'badAnswer',
        code: 'badAnswer',
        message: t('bundle.otherForm', { detail: error.message }),
      },
      { cause: error },
    );
  }
}

function isRead({ method, permission }: Endpoint): boolean {
  return method === 'GET' || (typeof permission === 'string' && permission.endsWith('.read'));
}

function isPage(value: unknown): value is Page {
  return (
    typeof value === 'object' &&
    value !== null &&
    'items' in value &&
    Array.isArray(value.items) &&
    'total' in value &&
    typeof value.total === 'number'
  );
}

type Query = Readonly<Record<string, unknown>>;

function queryOf(input: unknown): Query {
  if (typeof input !== 'object' || input === null || !('query' in input)) return {};
  return typeof input.query === 'object' && input.query !== null ? (input.query as Query) : {};
}

/** What a list is narrowed by, without its order and pages. */
function listKey(name: string, input: unknown): string {
  const { page: _page, limit: _limit, sort: _sort, order: _order, ...narrowed } = queryOf(input);
  const rest = typeof input === 'object' && input !== null ? input : {};
  return exchangeKey(name, { ...rest, query: narrowed });
}

/** Of a list that is known as a whole every order and page is known too. */
function pageOf(whole: Page, query: Query): Page {
  const sort = typeof query.sort === 'string' ? query.sort : null;
  const direction = query.order === 'desc' ? -1 : 1;
  const rows =
    sort === null ? whole.items : [...whole.items].sort((a, b) => direction * compare(a[sort], b[sort]));
  const limit = Number(query.limit ?? rows.length);
  const from = (Number(query.page ?? 1) - 1) * limit;
  return { items: rows.slice(from, from + limit), total: whole.total };
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a ?? '').localeCompare(String(b ?? ''));
}
