import { type ApiName, api } from '../../../contract/api.ts';
import type { EventKind } from '../../../contract/events/events.ts';
import type { Handlers, SessionUser } from '../../http/handler.ts';
import { Refusal } from '../../platform/errors.ts';

/** The single GET of each kind; a kind without one is loaded by the reader itself. */
const getters: { readonly [K in EventKind]?: ApiName } = {
  task: 'taskQueue.get',
  repository: 'repository.get',
  client: 'clients.get',
  pool: 'pools.get',
  library: 'tapeLibraries.get',
};

type Read = (call: {
  readonly params: { readonly id: number };
  readonly user: SessionUser;
}) => Promise<unknown>;

/** The record that belongs to an event, by the very handler of the single GET, so within all of its limits. */
export async function readRecord(
  handlers: Handlers,
  kind: EventKind,
  asked: { readonly id: number; readonly user: SessionUser },
): Promise<object | null> {
  const name = getters[kind];
  if (name === undefined) return null;
  const read = handlers[name] as unknown as Read;
  try {
    const record = await read({ params: { id: asked.id }, user: asked.user });
    return api[name].result.parse(record) as object;
  } catch (error) {
    // It has gone meanwhile.
    if (error instanceof Refusal) return null;
    throw error;
  }
}
