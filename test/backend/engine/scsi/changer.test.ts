import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeviceError } from '../../../../backend/engine/index.ts';
import { createScsiChanger } from '../../../../backend/engine/scsi/changer/changer.ts';
import { parseElementAddresses } from '../../../../backend/engine/scsi/changer/element-addresses.ts';
import { parseElementStatus } from '../../../../backend/engine/scsi/changer/element-status.ts';
import { createUnit } from '../../../../backend/engine/scsi/unit.ts';
import { createSimulatedRobot, type RobotManners, type RobotPlace } from './simulated-robot.ts';
import { check, createSimulatedClock, type ScriptedUnit } from './simulated-unit.ts';

const { signal } = new AbortController();
const changerOf = (unit: ScriptedUnit, clock = createSimulatedClock()) =>
  createScsiChanger(createUnit(unit.transport, { lun: 0, path: 'robot', clock }), unit.transport.close);

const slots = (first: number, count: number, step = 1): RobotPlace[] =>
  Array.from({ length: count }, (_, index) => ({ address: first + index * step, type: 2 as const }));
const smallLibrary = (): RobotPlace[] => [
  { address: 16, type: 1 },
  { address: 1, type: 4, serial: 'DRIVE001' },
  { address: 2, type: 4, serial: 'DRIVE002' },
  { address: 768, type: 3 },
  ...slots(1024, 4),
];
const withTapes = (...barcodes: readonly string[]): RobotPlace[] => {
  const places = smallLibrary();
  for (const [index, barcode] of barcodes.entries()) {
    const slot = places.filter(({ type }) => type === 2)[index];
    if (slot) slot.barcode = barcode;
  }
  return places;
};

describe('the inventory', () => {
  it.each<[string, RobotPlace[]]>([
    [
      'slots from 1',
      [{ address: 0, type: 1 }, ...slots(1, 5), { address: 0x1f4, type: 4 }, { address: 0x1f5, type: 4 }],
    ],
    [
      'slots from 03E8h, mail between',
      [
        { address: 1, type: 1 },
        ...slots(0x3e8, 10),
        { address: 0x3f2, type: 3 },
        { address: 0x1f4, type: 4 },
      ],
    ],
    [
      'slots from 1000h with gaps',
      [{ address: 0xffff, type: 1 }, ...slots(0x1000, 20, 7), { address: 0x10, type: 4 }],
    ],
    ['two thousand slots', [{ address: 0, type: 1 }, ...slots(1000, 2000), { address: 500, type: 4 }]],
  ])('takes the addresses from the robot: %s (case 111)', async (_what, places) => {
    const expected = [...places].sort((left, right) => left.address - right.address);
    for (const manners of [
      {},
      { sendsBlockDescriptor: true },
      { acceptsNoBlockDescriptors: false, descriptorExtra: 10 },
    ] satisfies RobotManners[]) {
      const found = await changerOf(createSimulatedRobot(places, manners)).inventory(signal);
      expect(found.map(({ address }) => address)).toEqual(expected.map(({ address }) => address));
      const kindOf = { 1: 'robot', 2: 'storage', 3: 'mail', 4: 'drive' } as const;
      expect(found.map(({ kind }) => kind)).toEqual(expected.map(({ type }) => kindOf[type]));
    }
  });

  it('is found also where the robot does not tell its addresses (case 111)', async () => {
    const robot = createSimulatedRobot(smallLibrary(), { tellsAddresses: false });
    expect((await changerOf(robot).inventory(signal)).map(({ address }) => address)).toEqual([
      1, 2, 16, 768, 1024, 1025, 1026, 1027,
    ]);
  });

  it.each<[string, RobotManners]>([
    ['ignores the high byte of the length', { ignoresHighByte: true }],
    ['sends three elements at a time', { mostElements: 3 }],
    ['cuts its answers in the middle of an element', { mostBytes: 8 + 8 + 52 * 2 + 20 }],
  ])('is whole when the robot %s (case 112)', async (_what, manners) => {
    const places: RobotPlace[] = [{ address: 16, type: 1 }, { address: 1, type: 4 }, ...slots(1024, 1500)];
    const found = await changerOf(createSimulatedRobot(places, manners)).inventory(signal);
    expect(found).toHaveLength(places.length);
    expect(found.at(-1)?.address).toBe(1024 + 1499);
  });

  it.each<[string, RobotPlace[], RobotManners]>([
    [
      'has no slots',
      [
        { address: 16, type: 1 },
        { address: 1, type: 4 },
      ],
      {},
    ],
    ['answers nothing', smallLibrary(), { mostBytes: 0 }],
    ['lists fewer slots than it has', smallLibrary(), { hiddenSlots: 1 }],
    ['answers a header alone', smallLibrary(), { mostBytes: 8 }],
    ['answers less than an element', smallLibrary(), { mostBytes: 30 }],
    ['tells of no addresses and nothing else', [], { tellsAddresses: false }],
  ])('of a robot that %s is a failure, never an empty library (case 112)', async (_what, places, manners) => {
    const robot = createSimulatedRobot(places, manners);
    await expect(changerOf(robot).inventory(signal)).rejects.toMatchObject({ kind: 'corrupt' });
  });

  it('has barcodes as they were read, serial numbers of drives, and places that need a person', async () => {
    const places = withTapes('A00001L8', 'CLN001L1');
    const third = places.filter(({ type }) => type === 2)[2];
    Object.assign(third ?? {}, { full: true, exception: true });
    const found = await changerOf(createSimulatedRobot(places)).inventory(signal);
    expect(found.find(({ address }) => address === 2)).toEqual({
      address: 2,
      kind: 'drive',
      full: false,
      barcode: null,
      exception: false,
      reason: null,
      reachable: expect.toSatisfy((told) => told === null || told === true),
      fromOutside: false,
      driveSerial: 'DRIVE002',
    });
    expect(found.slice(4, 7)).toMatchObject([
      { full: true, barcode: 'A00001L8', exception: false },
      { full: true, barcode: 'CLN001L1', exception: false },
      { full: true, barcode: null, exception: true },
    ]);
  });

  it('is read again after a reset, an opened mail slot, and while the robot is busy', async () => {
    const robot = createSimulatedRobot(smallLibrary());
    const clock = createSimulatedClock();
    robot.next(0x00, check(6, 0x29, 0), check(6, 0x28, 1));
    robot.next(0xb8, { ...check(0, 0, 0), status: 8, sense: null }, check(6, 0x28, 1));
    const found = await changerOf(robot, clock).inventory(signal);
    expect(found).toHaveLength(8);
    expect(clock.now()).toBeGreaterThan(0);
  });

  it('fails with the words of the robot when it is off line, busy without end or reserved', async () => {
    const robot = createSimulatedRobot(smallLibrary());
    robot.next(0xb8, check(2, 0x04, 0x12));
    await expect(changerOf(robot).inventory(signal)).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringContaining('off line (2/04/12)'),
    });
    const never = { ...check(0, 0, 0), status: 8, sense: null };
    robot.next(0x00, ...Array.from({ length: 100 }, () => never));
    await expect(changerOf(robot).inventory(signal)).rejects.toMatchObject({ kind: 'busy' });
    const reserved = createSimulatedRobot(smallLibrary());
    reserved.next(0xb8, { ...check(0, 0, 0), status: 0x18, sense: null });
    await expect(changerOf(reserved).inventory(signal)).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringContaining('another host has reserved'),
    });
  });
});

describe('a move', () => {
  it('names the robot, the source and the target by their addresses', async () => {
    const places = withTapes('A00001L8');
    const robot = createSimulatedRobot(places);
    await changerOf(robot).move(1024, 1, signal);
    expect(Buffer.from(robot.commands.at(-1)?.cdb ?? []).toString('hex')).toBe('a50000100400000100000000');
    expect(places.find(({ address }) => address === 1)?.barcode).toBe('A00001L8');
  });

  it('may take half an hour (case 116)', async () => {
    const robot = createSimulatedRobot(withTapes('A00001L8'));
    await changerOf(robot).move(1024, 1, signal);
    expect(robot.commands.at(-1)?.timeoutMs).toBeGreaterThanOrEqual(30 * 60_000 - 1);
  });

  it.each([
    ['is lost', new DeviceError('transient', 'the connection broke.'), 'transient'],
    ['ends in a mechanical failure', check(4, 0x15, 1), 'permanent'],
    ['meets a reset', check(6, 0x29, 0), 'busy'],
    ['meets an opened mail slot', check(6, 0x28, 1), 'busy'],
    ['meets a robot that is not ready', check(2, 0x04, 0x01), 'busy'],
    ['is not released by the drive', check(5, 0x53, 2), 'busy'],
  ])('that %s is never repeated (case 116)', async (_what, answer, kind) => {
    const robot = createSimulatedRobot(withTapes('A00001L8'));
    robot.next(0xa5, answer);
    await expect(changerOf(robot).move(1024, 1, signal)).rejects.toMatchObject({ kind });
    expect(robot.log.filter((operation) => operation === 0xa5)).toHaveLength(1);
  });

  it('out of a drive that holds on says that it has to be unloaded (case 114)', async () => {
    const robot = createSimulatedRobot(withTapes('A00001L8'));
    robot.next(0xa5, check(5, 0x53, 2));
    await expect(changerOf(robot).move(1024, 1, signal)).rejects.toThrow('Unload the drive');
  });

  it('to no address at all is refused before anything is sent', async () => {
    const robot = createSimulatedRobot(withTapes('A00001L8'));
    await expect(changerOf(robot).move(1024, 70_000, signal)).rejects.toMatchObject({ kind: 'permanent' });
    expect(robot.log).not.toContain(0xa5);
  });
});

describe('answers of any bytes', () => {
  it('are read without another failure than corrupt', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        for (const element of parseElementStatus(Buffer.from(bytes)).elements) {
          expect(element.address).toBeLessThanOrEqual(0xffff);
          expect(element.barcode?.length ?? 0).toBeLessThanOrEqual(32);
        }
        try {
          parseElementAddresses(Buffer.from(bytes));
        } catch (error) {
          expect(error).toMatchObject({ kind: 'corrupt' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('that are changed in a few places either list places or fail clearly', async () => {
    const change = fc.tuple(fc.nat(600), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const robot = createSimulatedRobot(smallLibrary());
        const damaged = {
          close: robot.transport.close,
          execute: async (command: Parameters<typeof robot.transport.execute>[0]) => {
            const result = await robot.transport.execute(command);
            const data = Buffer.from(result.data);
            for (const [at, value] of changes) if (at < data.length) data[at] = value;
            return { ...result, data };
          },
        };
        const unit = createUnit(damaged, { lun: 0, path: 'robot', clock: createSimulatedClock() });
        const found = await createScsiChanger(unit, damaged.close)
          .inventory(signal)
          .catch((error: unknown) => error);
        if (found instanceof DeviceError) expect(found.kind).toBe('corrupt');
        else expect(Array.isArray(found)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
