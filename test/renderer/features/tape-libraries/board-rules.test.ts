import { describe, expect, test } from 'vitest';
import {
  boardOf,
  neighbourPlace,
  nextTarget,
  placeAt,
  type Step,
  unregisteredOn,
  whyNotDropped,
  whyNotPickedUp,
} from '../../../../renderer/features/tape-libraries/board-rules.ts';
import { allWell, cartridge, element, virtualLibrary } from '../tape-rows.ts';

const elements = [
  element('robot', 1),
  element('storage', 3),
  element('storage', 1, 'SR0001L8', { cartridge: 1 }),
  element('storage', 2, 'NEW001L8'),
  element('storage', 4),
  element('mail', 1),
  element('drive', 1),
];
const board = boardOf(elements, [cartridge(1)], null);
const slot = (number: number) => {
  const place = board.storage[number - 1];
  if (place === undefined) throw new Error(`there is no slot ${number}`);
  return place;
};

describe('the board of a library', () => {
  test('sorts the places by kind and address, with the cartridge of each', () => {
    expect(board.storage.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    expect(slot(1).cartridge?.barcode).toBe('SR0001L8');
    expect([board.drive.length, board.mail.length, board.hand]).toEqual([1, 1, null]);
    expect(unregisteredOn(board).map(({ barcode }) => barcode)).toEqual(['NEW001L8']);
  });

  test('shows what hangs in the hand of the robot, an open door and write protection', () => {
    const faults = {
      ...allWell,
      door_open: true,
      cartridges: [
        {
          barcode: 'SR0001L8',
          write_protected: true,
          early_warning_at: null,
          end_at: null,
          read_error_at: null,
          write_error_at: null,
          pulled_at: null,
          used_up: false,
        },
      ],
    };
    const jammed = boardOf(
      [element('robot', 1, 'SR0009L8'), ...elements.slice(1)],
      [],
      virtualLibrary({ faults }),
    );
    expect(jammed.hand).toEqual({ barcode: 'SR0009L8' });
    expect(jammed.isMailOpen).toBe(true);
    const real = boardOf([{ ...element('mail', 2, null), reachable: false }], [], null);
    expect(real.isMailOpen).toBe(true);
    const silent = boardOf([{ ...element('mail', 2, null), reachable: null }], [], null);
    expect(silent.isMailOpen).toBe(false);
    expect(jammed.storage[0]?.isWriteProtected).toBe(true);
    expect(whyNotPickedUp(jammed, slot(1), false)).toBe('doorOpen');
  });

  test('knows a cleaning cartridge by its barcode, registered or not', () => {
    const other = boardOf([element('storage', 1, 'CLN001L1')], [], null);
    expect(other.storage[0]?.isCleaning).toBe(true);
  });
});

describe('a move', () => {
  test('begins only at a full place, while the robot rests', () => {
    expect(whyNotPickedUp(board, slot(1), false)).toBeNull();
    expect(whyNotPickedUp(board, slot(3), false)).toBe('empty');
    expect(whyNotPickedUp(board, slot(1), true)).toBe('moving');
  });

  test('ends only at a free place that needs no person', () => {
    expect(whyNotDropped(slot(1), slot(1))).toBe('same');
    expect(whyNotDropped(slot(1), slot(2))).toBe('full');
    expect(whyNotDropped(slot(1), { ...slot(3), needsPerson: true })).toBe('needsPerson');
    expect(whyNotDropped(slot(1), slot(3))).toBeNull();
  });

  test.each<[from: number, step: Step, to: string]>([
    [1, 'next', 'storage 3'],
    [3, 'next', 'storage 4'],
    [4, 'next', 'drive 1'],
    [1, 'previous', 'mail 1'],
    [1, 'below', 'storage 3'],
    [3, 'above', 'mail 1'],
  ])('goes by keys from slot %i (%s) to %s, past what is full', (number, step, to) => {
    const found = nextTarget(board, { from: slot(1), at: slot(number).address, step, columns: 2 });
    expect(`${found?.kind} ${found?.number}`).toBe(to);
  });

  test('finds no target where nothing is free', () => {
    const full = boardOf([element('storage', 1, 'A'), element('storage', 2, 'B')], [], null);
    const from = placeAt(full, 1001);
    if (from === undefined) throw new Error('the slot is there');
    expect(nextTarget(full, { from, at: 1001, step: 'next', columns: 2 })).toBeUndefined();
  });
});

test('arrows go through the places of one kind and stop at its ends', () => {
  const to = (number: number, key: string) =>
    neighbourPlace(board.storage, slot(number).address, key, 2)?.number;
  expect([to(1, 'ArrowRight'), to(1, 'ArrowDown'), to(4, 'ArrowRight'), to(1, 'ArrowUp')]).toEqual([
    2, 3, 4, 1,
  ]);
  expect([to(3, 'Home'), to(2, 'End'), to(2, 'x')]).toEqual([1, 4, undefined]);
});
