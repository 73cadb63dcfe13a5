import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unloadPatience } from '../../../backend/features/tape-libraries/tape-settings.ts';
import { startTestApp } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { openTapeLab } from './tape-lab.ts';

describe('unload_tape_cartriges_whes_media_server_starts', () => {
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  beforeEach(async () => {
    folder = await makeTempDir('tape-start');
  });
  afterEach(() => folder.remove());

  it.each([
    ['yes', 'storage'],
    ['no', 'drive'],
  ])('set to %s: what is in a drive at the start is in the %s then', async (value, place) => {
    const lab = await openTapeLab({ app: { dataDir: folder.path } });
    const change = { unload_tape_cartriges_whes_media_server_starts: value };
    await lab.queue.good('PATCH', '/global_configuration', change);
    await lab.queue.good('POST', `/tape_libraries/${lab.library}/move`, { from: 1000, to: 256 });
    expect((await lab.cartridge('SR0001L8')).location).toBe('drive');
    await lab.close();
    const again = await startTestApp({ started: true, dataDir: folder.path });
    const location = async (): Promise<unknown> =>
      (
        await again.database.db
          .selectFrom('cartridges')
          .select('location')
          .where('barcode', '=', 'SR0001L8')
          .executeTakeFirst()
      )?.location;
    await expect.poll(location, { timeout: 20_000 }).toBe(place);
    await again.close();
  });
});

describe('cartridge_unload_timeout', () => {
  const patience = (seconds: number) =>
    unloadPatience({
      read: async () => ({ cartridge_unload_timeout: seconds }) as never,
      noteCleaning: async () => undefined,
    });

  it('ends the waiting for a drive after its seconds, and never with 0', async () => {
    const [one, none] = await Promise.all([patience(1), patience(0)]);
    await expect.poll(() => one.aborted, { timeout: 5000 }).toBe(true);
    expect(none.aborted).toBe(false);
  });
});
