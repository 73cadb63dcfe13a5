import type { Pool } from '../../../contract/pools/pool.ts';
import type { ScsiPortal } from '../../../contract/scsi-portals/scsi-portal.ts';
import type {
  CandidateInfo,
  MediumChanger,
  TapeDriveCandidate,
} from '../../../contract/tape-libraries/tape-library.ts';
import { call } from '../../bridge.ts';
import { hasExtension } from '../../shell/rights.ts';

/** What a media server has that no library uses, and where it was looked for. */
export interface Found {
  readonly robots: readonly MediumChanger[];
  readonly drives: readonly TapeDriveCandidate[];
  readonly portals: readonly ScsiPortal[];
}

export async function look(connectionId: string, server: string): Promise<Found> {
  const [candidates, portals] = await Promise.all([
    call(connectionId, 'tapeLibraries.candidates', { query: { media_server: server, adding_type: 'auto' } }),
    hasExtension(connectionId, 'scsi_portals')
      ? call(connectionId, 'scsiPortals.list', { query: { media_server: server } })
      : null,
  ]);
  return {
    robots: candidates.medium_changers,
    drives: candidates.tape_drives,
    portals: portals?.items ?? [],
  };
}

/** Robots and drives that this portal leads to. Pure. */
export function behindPortal(found: Found, portal: Pick<ScsiPortal, 'address' | 'port'>): number {
  const host = portal.address.includes(':') ? `[${portal.address}]` : portal.address;
  const way = `iscsi://${host}:${portal.port}/`;
  return [...found.robots, ...found.drives].filter(({ sg_path: path }) => path.startsWith(way)).length;
}

/** The drives that can belong to a robot: its own, and those of which nobody knows. Pure. */
export const drivesFor = (found: Found, robot: MediumChanger): readonly TapeDriveCandidate[] =>
  found.drives.filter(({ medium_changer_id: owner }) => owner === null || owner === robot.id);

/** Tape pools of a media server that have no library yet. */
export async function freePools(connectionId: string, server: string): Promise<readonly string[]> {
  const [pools, libraries] = await Promise.all([
    call(connectionId, 'pools.list', { query: { pool_type: 'Tape library', media_server: server } }),
    call(connectionId, 'tapeLibraries.list', { query: {} }),
  ]);
  const taken = new Set(libraries.items.map(({ pool }) => pool));
  return pools.items.map((pool: Pool) => pool.pool_name).filter((name) => !taken.has(name));
}

/** What a look at the robot says of the library that would be added. */
export interface Check {
  readonly slots: number;
  readonly mailSlots: number;
  readonly driveSlots: number;
  /** In storage slots with a readable barcode: these are registered. */
  readonly barcodes: readonly string[];
  readonly cleaning: number;
  /** Full places whose barcode cannot be read. */
  readonly unreadable: number;
  /** Barcodes outside of the storage slots, which are not registered. */
  readonly elsewhere: readonly string[];
  readonly twice: readonly string[];
}

/** Pure. */
export function checkOf(info: CandidateInfo): Check {
  const { slots } = info;
  const count = (type: string) => slots.filter((slot) => slot.type === type).length;
  const full = slots.filter((slot) => slot.full);
  const all = full.flatMap(({ barcode }) => (barcode === null ? [] : [barcode]));
  const stored = full.filter(({ type }) => type === 'storage').flatMap(({ barcode }) => barcode ?? []);
  return {
    slots: count('storage'),
    mailSlots: count('mail'),
    driveSlots: count('drive'),
    barcodes: stored,
    cleaning: stored.filter((barcode) => /^CLN/i.test(barcode)).length,
    unreadable: full.filter(({ barcode }) => barcode === null).length,
    elsewhere: full.filter(({ type }) => type !== 'storage').flatMap(({ barcode }) => barcode ?? []),
    twice: [...new Set(all.filter((barcode, index) => all.indexOf(barcode) !== index))],
  };
}

export async function checkRobot(connectionId: string, server: string, path: string): Promise<Check> {
  const body = { media_server: server, medium_changer_sg_path: path };
  return checkOf(await call(connectionId, 'tapeLibraries.candidateInfo', { body }));
}

export interface AddWish {
  readonly server: string;
  readonly robotId: number;
  readonly driveIds: readonly number[];
  readonly pool: string;
  readonly isNewPool: boolean;
  readonly description: string;
}

/** Makes the pool first where it is a new one; `onPool` is told, so that another try does not make it again. */
export async function addLibrary(
  connectionId: string,
  wish: AddWish,
  onPool: (name: string) => void,
): Promise<void> {
  if (wish.isNewPool) {
    const body = { pool_name: wish.pool, pool_type: 'Tape library', media_server: wish.server };
    await call(connectionId, 'pools.create', { body });
    onPool(wish.pool);
  }
  await call(connectionId, 'tapeLibraries.create', {
    body: {
      pool: wish.pool,
      media_server: wish.server,
      description: wish.description === '' ? null : wish.description,
      medium_changer_candidate_id: wish.robotId,
      tape_drives_candidates_ids: [...wish.driveIds],
    },
  });
}

/** Barcodes as a person types them: by lines, spaces or commas. Pure. */
export const typedBarcodes = (text: string): string[] => text.split(/[\s,;]+/).filter(Boolean);
