import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../../backend/platform/clock.ts';
import type { LibraryTree, TapeDriveRecord } from '../../../contract/tape-libraries/tape-library.ts';
import { openTapeLab, type TapeLab } from './tape-lab.ts';

let lab: TapeLab;
afterEach(() => lab.close());

const drive = async (): Promise<TapeDriveRecord> => {
  const tree = await lab.queue.good<LibraryTree>('POST', '/tape_libraries/tree', {});
  const found = tree.libraries[0]?.tape_drives[0];
  if (!found) throw new Error('there is no drive');
  return found;
};
/** A backup to tape, and what its log says of the drive. */
const backUp = async (): Promise<readonly string[]> => {
  const id = await lab.queue.backup(lab.source, { pool: 'Tapes' });
  const ended = await lab.queue.ended(id);
  expect([ended.status, ended.error_message]).toEqual(['done', null]);
  return (await lab.queue.log(id, 'servers')).map(({ message }) => message);
};

it('a drive that asks for cleaning is cleaned by the product; the cartridge is counted and goes back (case 107)', async () => {
  lab = await openTapeLab();
  expect(await drive()).toMatchObject({ alerts: [], alerts_read: null, needs_cleaning: false });
  await lab.faults({ drives: [{ drive: 1, alerts: [7, 20] }] });
  const log = await backUp();
  expect(log.find((line) => line.includes('TapeAlert 20'))).toContain('has to be cleaned now');
  expect(log.find((line) => line.includes('was cleaned with CLN001L1'))).toBeDefined();
  expect(await drive()).toMatchObject({
    alerts: [{ flag: 7, severity: 'warning', message: expect.stringContaining('end of its life') }],
    alerts_read: expect.stringMatching(/^20/),
    needs_cleaning: false,
  });
  expect(await lab.cartridge('CLN001L1')).toMatchObject({
    state: 'cleaning',
    location: 'storage',
    cleanings: 1,
    used_up: false,
    written: 0,
    copies: 0,
  });
  // The same alert is told once, not with each use.
  expect((await backUp()).filter((line) => line.includes('TapeAlert'))).toEqual([]);
});

it('without a cleaning cartridge, or with one that is used up, it says what a person has to do, and is cleaned once that is done', async () => {
  lab = await openTapeLab({ barcodes: ['SR0001L8', 'CLN001L1'] });
  await lab.faults({
    drives: [{ drive: 1, alerts: [21] }],
    cartridges: [{ barcode: 'CLN001L1', used_up: true }],
  });
  const log = await backUp();
  expect(log.find((line) => line.includes('CLN001L1'))).toContain('is used up; replace it');
  expect(log.find((line) => line.includes('no cleaning cartridge'))).toContain(
    'put a new one into the library',
  );
  expect(await lab.cartridge('CLN001L1')).toMatchObject({ cleanings: 0, used_up: true, location: 'storage' });
  const told = await drive();
  expect([told.needs_cleaning, told.alerts.map(({ flag }) => flag)]).toEqual([true, [21, 22]]);
  await lab.inside(['SR0001L8', 'CLN001L1', 'CLN002L1']);
  await lab.queue.good('POST', '/cartridges', { tape_library: lab.library, barcode: 'CLN002L1' });
  expect((await backUp()).find((line) => line.includes('was cleaned with CLN002L1'))).toBeDefined();
  expect(await drive()).toMatchObject({ alerts: [], needs_cleaning: false });
  expect(await lab.cartridge('CLN001L1')).toMatchObject({ cleanings: 0 });
});

it('with auto_clean_tape_drives off a drive is not cleaned, only told of; clean_tape_drives_last_time says when one was', async () => {
  lab = await openTapeLab();
  const settings = () => lab.queue.good<Record<string, unknown>>('GET', '/global_configuration');
  await lab.queue.good('PATCH', '/global_configuration', { auto_clean_tape_drives: 'no' });
  await lab.faults({ drives: [{ drive: 1, alerts: [20] }] });
  expect((await backUp()).find((line) => line.includes('auto_clean_tape_drives is off'))).toBeDefined();
  expect((await drive()).needs_cleaning).toBe(true);
  expect((await settings()).clean_tape_drives_last_time).toBeNull();
  await lab.queue.good('PATCH', '/global_configuration', { auto_clean_tape_drives: 'yes' });
  expect((await backUp()).find((line) => line.includes('was cleaned with'))).toBeDefined();
  expect((await settings()).clean_tape_drives_last_time).toMatch(/^20/);
});

it('a drive that was used is cleaned so many days after, while nobody uses it (clean_tape_drives_period)', async () => {
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  lab = await openTapeLab({ app: { clock } });
  await backUp();
  expect((await lab.cartridge('CLN001L1')).cleanings).toBe(0);
  aheadMs = 31 * 86_400_000;
  const { db } = lab.app.database;
  const cleanings = async () =>
    (await db.selectFrom('cartridges').select('cleanings').where('state', '=', 'cleaning').execute())[0]
      ?.cleanings;
  await expect.poll(cleanings, { timeout: 20_000 }).toBe(1);
  const superuser = await lab.app.loginAs('superuser');
  const tree = (await superuser.send('POST', '/tape_libraries/tree', {})).data<LibraryTree>();
  const cleaned = tree.libraries[0]?.tape_drives[0]?.cleaned;
  expect(Date.parse(`${cleaned}Z`)).toBeGreaterThan(Date.now() + 30 * 86_400_000);
});

it('without a cleaning cartridge a drive whose time has come is marked, once, and an event tells of it', async () => {
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  lab = await openTapeLab({ barcodes: ['SR0001L8'], app: { clock } });
  await backUp();
  expect(await drive()).toMatchObject({ needs_cleaning: false, cleaned: null });
  const { db } = lab.app.database;
  const before = await lab.eventAfterAll();
  aheadMs = 31 * 86_400_000;
  const told = () =>
    db
      .selectFrom('events')
      .select(['kind', 'action', 'object_id'])
      .where('id', '>', before)
      .where('kind', '=', 'library')
      .execute();
  await expect
    .poll(told, { timeout: 20_000 })
    .toEqual([{ kind: 'library', action: 'changed', object_id: lab.library }]);
  const superuser = await lab.app.loginAs('superuser');
  const tree = (await superuser.send('POST', '/tape_libraries/tree', {})).data<LibraryTree>();
  expect(tree.libraries[0]?.tape_drives[0]).toMatchObject({ needs_cleaning: true, cleaned: null });
});
