import { hostname } from 'node:os';
import {
  type ScsiPortal,
  type ScsiPortalDraft,
  usualScsiPortalPort,
} from '../../../contract/scsi-portals/scsi-portal.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import { type IscsiPortal, isPortalAddress } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { unknownReference } from '../references.ts';
import { whyNoPair, whyPortalStays } from './scsi-portal-rules.ts';
import { createScsiPortalStore, type PortalPlace, type StoredPortal } from './scsi-portal-store.ts';

export interface ScsiPortalService {
  list(list: ListRequest): Promise<Page<ScsiPortal>>;
  get(id: number): Promise<ScsiPortal>;
  create(draft: ScsiPortalDraft): Promise<{ readonly id: number }>;
  /** All or nothing. */
  remove(ids: readonly number[]): Promise<{ readonly ids: number[] }>;
  /** Those of this host with their passwords; one whose password cannot be opened is left out, which the log says. */
  toLogInTo(): Promise<readonly IscsiPortal[]>;
}

/** This host as an initiator. Targets may give rights to the name, so it stays the same from start to start. */
export function initiatorName(): string {
  const host = hostname()
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .slice(0, 150);
  return `iqn.2026-11.local.strongroom:${host}`;
}

/** Bound to the place, so that a password that was copied to the row of another portal does not open. */
const purposeOf = ({ mediaServerId, address, port }: PortalPlace): string =>
  `iSCSI portal ${mediaServerId} ${address} ${port}`;

export function createScsiPortalService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: SecretBox;
}): ScsiPortalService {
  const { db, log, secrets } = deps;
  const name = initiatorName();
  const store = createScsiPortalStore(db, name);

  const opened = (portal: StoredPortal): IscsiPortal[] => {
    const { address, port, userName, password } = portal;
    if (userName === null || password === null) return [{ address, port, credentials: null }];
    try {
      const credentials = { user: userName, password: secrets.open(password, purposeOf(portal)) };
      return [{ address, port, credentials }];
    } catch (error) {
      log.warn('the password of an iSCSI portal cannot be opened; add the portal anew', { address, error });
      return [];
    }
  };

  return {
    list: (list) => store.list(list, deps.dialect),

    get: async (id) => {
      const portal = await store.get(id);
      if (!portal) throw notFound('SCSI portal', id);
      return portal;
    },

    create: async (draft) => {
      const server = await store.mediaServerByName(draft.media_server);
      if (!server) throw unknownReference('media_server', `media server named \`${draft.media_server}\``);
      if (!server.isLocal) {
        throw invalidField('media_server', 'is another host, which this server cannot log in from');
      }
      const address = draft.address.toLowerCase();
      if (!isPortalAddress(address)) {
        throw invalidField('address', 'must be a host name or an IP address, without port and brackets');
      }
      const noPair = whyNoPair(draft);
      if (noPair !== null) throw invalidField(noPair.field, noPair.reason);
      const place = { mediaServerId: server.id, address, port: draft.port ?? usualScsiPortalPort };
      const password =
        typeof draft.password === 'string' ? secrets.seal(draft.password, purposeOf(place)) : null;
      const id = await db.transaction().execute(async (tx) => {
        const inside = createScsiPortalStore(tx, name);
        if (await inside.isTaken(place)) {
          throw invalidField('address', 'is a portal of this media server already; remove that one first');
        }
        const createdMs = deps.clock.now();
        return inside.insert({ ...place, userName: draft.user ?? null, password, createdMs });
      });
      return { id };
    },

    remove: async (given) => {
      const ids = distinctIds(given);
      await db.transaction().execute(async (tx) => {
        const inside = createScsiPortalStore(tx, name);
        const portals = await inside.stored(ids);
        requireAllFound(
          'SCSI portal',
          ids,
          portals.map(({ id }) => id),
        );
        const reasons: (string | null)[] = [];
        for (const portal of portals) {
          reasons.push(whyPortalStays(portal, await inside.usedPaths(portal.mediaServerId)));
        }
        refuseIfAny(reasons, 'object.inUse');
        await inside.remove(ids);
      });
      return { ids: [...ids] };
    },

    toLogInTo: async () => (await store.local()).flatMap(opened),
  };
}
