import type { JoinToken } from '../../../contract/clients/client.ts';
import type { Db } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import { newSecret, secretDigest } from '../../platform/ids.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import { createJoinTokenStore } from './join-token-store.ts';

const lifetimeMs = 60 * 60 * 1000;

export type JoinTokens = ReturnType<typeof createJoinTokens>;

/** One-time tokens with which an agent introduces itself; only their digests are kept. */
export function createJoinTokens(deps: { readonly db: Db; readonly clock: Clock }) {
  const store = createJoinTokenStore(deps.db);
  return {
    create: async (user: {
      readonly userName: string;
      readonly clientGroupIds: readonly number[] | null;
    }): Promise<JoinToken> => {
      if (user.clientGroupIds !== null) {
        // A new client belongs to no group yet, so somebody who may see own groups only would never see it.
        throw new Refusal('permission.denied', {
          message: 'New clients are taken in by somebody who may see all client groups.',
          errors: { permission: 'clients.write without a limit to client groups' },
        });
      }
      const nowMs = deps.clock.now();
      const token = newSecret();
      const expiresMs = nowMs + lifetimeMs;
      await store.add({ digest: secretDigest(token), by: user.userName, nowMs, expiresMs });
      return { token, expires: toWireTime(expiresMs) };
    },

    /** True once for a token that was made within the last hour; it is used up by that. */
    use: (token: string): Promise<boolean> => store.take(secretDigest(token), deps.clock.now()),
  };
}
