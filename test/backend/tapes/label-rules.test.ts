import { expect, it } from 'vitest';
import type { LabelFound } from '../../../backend/engine/index.ts';
import {
  mayWrite,
  stateOfBlank,
  type Use,
  whatSetTakes,
  whoseLabel,
} from '../../../backend/features/tape-libraries/cartridge-rules.ts';
import type { Cartridge } from '../../../backend/features/tape-libraries/tape-store.ts';
import { cartridgeWith } from './cartridge.ts';

const label = (uuid: string, barcode = 'SR0001L8'): LabelFound => ({
  kind: 'ours',
  label: { uuid, barcode, pool: 'Tapes', written: '2030-01-01T00:00:00.000Z' },
});
const blank: LabelFound = { kind: 'blank' };
const foreign: LabelFound = { kind: 'foreign', what: 'a tar archive' };
const cartridge = (more: Partial<Cartridge>): Cartridge =>
  cartridgeWith({ state: 'labelled', labelUuid: 'old', written: 1, nextFile: 4, ...more });
const begun = { nextLabelUuid: 'new' };

it.each<[string, Use, Partial<Cartridge>, LabelFound, boolean]>([
  ['its own label', 'append', {}, label('old'), true],
  ['another label', 'append', {}, label('new'), false],
  ['the label of another cartridge', 'append', {}, label('old', 'SR0002L8'), false],
  ['nothing, though it was written', 'append', {}, blank, false],
  ['its own label, to be labelled anew', 'recycle', {}, label('old'), true],
  ['another label, to be labelled anew', 'recycle', {}, label('new'), false],
  ['nothing, though it was written, to be labelled anew', 'recycle', {}, blank, false],
  ['the label that was being written', 'recycle', begun, label('new'), true],
  ['the label before the one that was being written', 'recycle', begun, label('old'), true],
  ['nothing, while a label was being written', 'recycle', begun, blank, true],
  ['something else, while a label was being written', 'recycle', begun, foreign, false],
  [
    'the label that was being written, of another cartridge',
    'recycle',
    begun,
    label('new', 'SR0002L8'),
    false,
  ],
  ['nothing, and never had', 'label', { labelUuid: null }, blank, true],
  ['something that is not known here', 'label', { labelUuid: null }, foreign, false],
])('a tape with %s (%s)', (_what, use, more, found, may) => {
  expect(mayWrite({ cartridge: cartridge(more), use }, found)).toBe(may);
});

it('a label counts for the cartridge that it names alone', () => {
  expect(whoseLabel(cartridge(begun), label('new'))).toBe('begun');
  expect(whoseLabel(cartridge(begun), label('old'))).toBe('known');
  expect(whoseLabel(cartridge({ labelUuid: null }), blank)).toBe('other');
});

it('a blank tape is suspect when it had a label, unless another one was being written', () => {
  expect(stateOfBlank(cartridge({}))).toBe('suspect');
  expect(stateOfBlank(cartridge(begun))).toBe('unlabelled');
  expect(stateOfBlank(cartridge({ labelUuid: null }))).toBe('unlabelled');
});

it('how many cartridges a copy will take is said before it is written, once a full one has told how much fits (case 121)', () => {
  const empty = (id: number): Cartridge =>
    cartridge({ id, state: 'unlabelled', labelUuid: null, written: 0 });
  const full = cartridge({ id: 100, state: 'full', capacity: 1000, written: 1000, copies: 1 });
  const twelve = Array.from({ length: 12 }, (_, index) => empty(index + 1));
  expect(whatSetTakes(50_000, twelve)).toBeNull();
  expect(whatSetTakes(8_000, [full, ...twelve])).toBeNull();
  expect(whatSetTakes(11_500, [full, ...twelve])).toMatch(
    /about 12 cartridges.*Each restore needs all of them/,
  );
  expect(whatSetTakes(11_500, [full, ...twelve])).not.toContain('at hand');
  expect(whatSetTakes(3_000, [full, empty(1)])).toMatch(
    /^This copy will take about 3 cartridges, .*room on 1: have 2 more at hand\.$/,
  );
  const begun = cartridge({ id: 2, written: 900, copies: 1 });
  expect(whatSetTakes(1_000, [full, begun])).toContain('about 2 cartridges');
});
