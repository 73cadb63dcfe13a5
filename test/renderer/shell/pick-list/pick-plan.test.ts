import { describe, expect, test } from 'vitest';
import { pickPlan } from '../../../../renderer/shell/pick-list/pick-plan.ts';
import { pickText, planLines } from '../../../../renderer/shell/pick-list/pick-words.ts';
import { cartridge, element } from '../../features/tape-rows.ts';

const wanted = [1, 2, 3, 4].map((id) => ({
  cartridge: cartridge(id, { location: id < 3 ? 'storage' : 'outside' }),
  parts: 1,
  bytes: 10,
}));
const inside = [
  element('drive', 1, 'sr0001l8'),
  element('mail', 1),
  element('mail', 2, 'SR0002L8'),
  element('storage', 1),
];

describe('the pick list of a restore', () => {
  test('keeps the order of the restore and asks a person only for what is not in the library', () => {
    const plan = pickPlan(wanted, inside);
    expect(plan.lines.map(({ barcode, todo }) => [barcode, todo])).toEqual([
      ['SR0001L8', 'inDrive'],
      ['SR0002L8', 'nothing'],
      ['SR0003L8', 'bring'],
      ['SR0004L8', 'bring'],
    ]);
    expect(plan.missing).toEqual(['SR0003L8', 'SR0004L8']);
  });

  test('counts the rounds by the free places of import/export', () => {
    expect(pickPlan(wanted, inside).rounds).toBe(2);
    expect(pickPlan(wanted, [...inside, element('mail', 3)]).rounds).toBe(1);
    expect(pickPlan(wanted, [element('mail', 1, 'OTHER')]).rounds).toBeNull();
  });

  test('sends a person to the slots where there is no import/export', () => {
    const plan = pickPlan(wanted, [element('storage', 1), element('storage', 2)]);
    expect([plan.isByHand, plan.lines[0]?.todo, plan.rounds]).toEqual([true, 'bringByHand', 2]);
  });

  test('believes the live inventory, not what was known before', () => {
    const plan = pickPlan(wanted.slice(0, 1), [element('mail', 1), element('storage', 1)]);
    expect(plan.missing).toEqual(['SR0001L8']);
  });

  test('falls back to what is known while the robot is silent', () => {
    const plan = pickPlan(wanted, null);
    expect([plan.missing.length, plan.lines[0]?.isThere]).toEqual([2, true]);
    expect(planLines(plan)).toEqual(['2 cartridges have to be brought.']);
  });

  test('does not call off site what the server lost sight of (case 120)', () => {
    const lost = [
      { cartridge: cartridge(3, { location: 'unknown', element_address: null }), parts: 1, bytes: 10 },
    ];
    const text = pickText('Heading', 'Of', pickPlan(lost, inside));
    expect(text).toContain('SR0003L8      Not known');
    expect(text).not.toContain('Off site');
  });

  test('is text that can be ticked off on paper', () => {
    const text = pickText('Heading', 'Of', pickPlan(wanted.slice(1, 3), inside));
    expect(text).toContain(
      '[x]    1  SR0002L8      Import/export 2       nothing: the robot takes it from there',
    );
    expect(text).toContain(
      '[ ]    2  SR0003L8      Off site              fetch it and put it into import/export',
    );
  });
});
