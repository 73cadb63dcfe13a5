import type { MessagePort } from 'node:worker_threads';
import type { StoreLink } from '../blocks/store-requests.ts';
import type { StoreThread } from '../blocks/store-thread.ts';

/** What opens the blocks of a copy in one worker. */
export interface BlocksInput {
  readonly link: StoreLink;
  /** Only whether they are there is asked. */
  readonly isPresenceOnly: boolean;
}

/** A way of its own to the store for one worker; null for a copy with an archive. */
export function blocksInput(
  store: StoreThread | null | undefined,
  isPresenceOnly = false,
): BlocksInput | null {
  return store ? { link: store.connect(), isPresenceOnly } : null;
}

/** For the transfer list of that worker. */
export function portsOf(blocks: BlocksInput | null): MessagePort[] {
  return blocks === null ? [] : [blocks.link.port];
}
