import { describe, expect, test } from 'vitest';
import { VirtualFaults, VirtualFaultsDraft } from '../../../../contract/virtual-libraries/virtual-library.ts';
import {
  type Armed,
  armedIn,
  faultIds,
  faultKinds,
  faultsOf,
  withFault,
  withoutFault,
} from '../../../../renderer/features/tape-libraries/fault-rules.ts';
import { allWell } from '../tape-rows.ts';

const targets = { library: '', drive: '1', cartridge: 'SR0001L8' } as const;
const one = (id: (typeof faultIds)[number], change: Partial<Armed> = {}): Armed => ({
  id,
  target: targets[faultKinds[id].on],
  value: faultKinds[id].value === null ? null : faultKinds[id].usual,
  ...change,
});
/** What a server answers to the draft: it keeps the values as they were sent. */
const answered = (armed: readonly Armed[]): VirtualFaults =>
  VirtualFaults.parse(VirtualFaultsDraft.parse(faultsOf(armed)));

describe('the switchboard of a virtual library', () => {
  test.each(faultIds)('arms %s, reads it back and disarms it', (id) => {
    const armed = withFault([], one(id));
    expect(armedIn(answered(armed))).toEqual(armed);
    expect(armedIn(answered(withoutFault(armed, one(id))))).toEqual([]);
  });

  test('changes nothing of the other faults', () => {
    const all = faultIds.filter((id) => id !== 'robotJams' && id !== 'driveReset').map((id) => one(id));
    expect(armedIn(answered(all))).toEqual(all);
    const without = withoutFault(all, one('writeProtected'));
    expect(armedIn(answered(without))).toEqual(all.filter(({ id }) => id !== 'writeProtected'));
  });

  test('puts one in the place of another that cannot be there at once', () => {
    expect(withFault([one('robotStuck')], one('robotJams')).map(({ id }) => id)).toEqual(['robotJams']);
    expect(withFault([one('mediumChanged')], one('driveReset')).map(({ id }) => id)).toEqual(['driveReset']);
    const twice = withFault([one('endAt', { value: 1 })], one('endAt', { value: 2 }));
    expect(twice).toEqual([one('endAt', { value: 2 })]);
  });

  test('keeps several flags of a drive, and the same fault of several cartridges', () => {
    const flags = withFault([one('alert', { value: 20 })], one('alert', { value: 3 }));
    expect(flags.map(({ value }) => value)).toEqual([20, 3]);
    const two = withFault([one('readError')], one('readError', { target: 'SR0002L8' }));
    expect(two).toHaveLength(2);
  });

  test('shows none where all is well', () => expect(armedIn(allWell)).toEqual([]));
});
