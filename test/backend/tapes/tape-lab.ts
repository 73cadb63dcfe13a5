import { hostname } from 'node:os';
import { vi } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import type { TapeCandidates } from '../../../contract/tape-libraries/tape-library.ts';
import type { Answer, startTestApp } from '../../support/backend.ts';
import { type BackupLab, openBackupLab } from '../../support/backup-lab.ts';

export interface TapeLab extends BackupLab {
  readonly library: number;
  readonly virtual: number;
  /** By barcode. */
  cartridge(barcode: string): Promise<Cartridge>;
  label(barcode: string, more?: Record<string, unknown>): Promise<Answer>;
  faults(faults: Record<string, unknown> | null): Promise<void>;
  /** What is to be inside, as a person puts it there; the library is synchronised after. */
  inside(barcodes: readonly string[]): Promise<Answer>;
  /** The id of an event after all that happened until now: what happens is written to the journal shortly after. */
  eventAfterAll(): Promise<number>;
}

/** A server with the pool `Tapes` over a virtual library with one drive and small cartridges. */
export async function openTapeLab(
  options: {
    readonly barcodes?: readonly string[];
    readonly cartridgeBytes?: number;
    readonly drives?: number;
    readonly app?: NonNullable<Parameters<typeof startTestApp>[0]>;
  } = {},
): Promise<TapeLab> {
  const lab = await openBackupLab('tapes', options.app);
  const { queue, superuser } = lab;
  const barcodes = options.barcodes ?? ['SR0001L8', 'SR0002L8', 'SR0003L8', 'CLN001L1'];
  const virtual = await queue.good<{ id: number }>('POST', '/virtual_libraries', {
    media_server: hostname(),
    name: 'rack',
    slots: Math.max(6, barcodes.length),
    drives: options.drives ?? 1,
    cartridges: barcodes,
    cartridge_size: options.cartridgeBytes ?? 8 * 1_048_576,
  });
  const library = await addTapeLibrary(lab);
  const lookUp = async (barcode: string): Promise<Cartridge> => {
    const all = await queue.good<Cartridge[]>('GET', '/cartridges');
    const found = all.find((one) => one.barcode === barcode);
    if (!found) throw new Error(`there is no cartridge ${barcode}`);
    return found;
  };
  return {
    ...lab,
    library,
    virtual: virtual.id,
    cartridge: lookUp,
    label: async (barcode, more = {}) =>
      superuser.send('PATCH', `/cartridges/${(await lookUp(barcode)).id}`, { label: true, ...more }),
    faults: async (faults) => {
      await queue.good('PATCH', `/virtual_libraries/${virtual.id}`, { faults });
    },
    inside: async (cartridges) => {
      await queue.good('PATCH', `/virtual_libraries/${virtual.id}`, { cartridges });
      return superuser.send('POST', `/tape_libraries/${library}/sync`);
    },
    eventAfterAll: async () => {
      const { db } = lab.app.database;
      const newest = () => db.selectFrom('events').select('id').orderBy('id', 'desc');
      const before = (await newest().executeTakeFirst())?.id ?? 0;
      await queue.good('POST', '/client_groups', { name: `After event ${before}` });
      const ofGroup = newest()
        .where('kind', '=', 'client')
        .where('object_id', 'is', null)
        .where('id', '>', before);
      return vi.waitFor(async () => (await ofGroup.executeTakeFirstOrThrow()).id, { timeout: 20_000 });
    },
  };
}

/** Makes the pool `Tapes` and a tape library of the first robot with its drives. */
export async function addTapeLibrary({ queue }: Pick<BackupLab, 'queue'>): Promise<number> {
  const pool = {
    pool_name: 'Tapes',
    pool_type: 'Tape library',
    media_server: hostname(),
    compression_type: 'Optimal',
  };
  await queue.good('POST', '/pools', { data: pool });
  const query = `media_server=${encodeURIComponent(hostname())}&adding_type=auto`;
  const found = await queue.good<TapeCandidates>('GET', `/tape_libraries/candidates?${query}`);
  const [robot] = found.medium_changers;
  const made = await queue.good<{ id: number }>('POST', '/tape_libraries', {
    pool: 'Tapes',
    media_server: hostname(),
    medium_changer_candidate_id: robot?.id,
    tape_drives_candidates_ids: found.tape_drives
      .filter((drive) => drive.medium_changer_id === robot?.id)
      .map(({ id }) => id),
  });
  return made.id;
}
