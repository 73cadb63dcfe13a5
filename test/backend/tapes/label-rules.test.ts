import { expect, it } from 'vitest';
import type { LabelFound } from '../../../backend/engine/index.ts';
import {
  mayWrite,
  stateOfBlank,
  type Use,
  whoseLabel,
} from '../../../backend/features/tape-libraries/cartridge-rules.ts';
import type { Cartridge } from '../../../backend/features/tape-libraries/tape-store.ts';

const label = (uuid: string, barcode = 'SR0001L8'): LabelFound => ({
  kind: 'ours',
  label: { uuid, barcode, pool: 'Tapes', written: '2030-01-01T00:00:00.000Z' },
});
const blank: LabelFound = { kind: 'blank' };
const foreign: LabelFound = { kind: 'foreign', what: 'a tar archive' };
const cartridge = (more: Partial<Cartridge>): Cartridge => ({
  id: 1,
  libraryId: 1,
  poolId: 1,
  pool: 'Tapes',
  barcode: 'SR0001L8',
  state: 'labelled',
  location: 'storage',
  elementAddress: 1,
  labelUuid: 'old',
  nextLabelUuid: null,
  isWriteProtected: null,
  moveFailure: null,
  written: 1,
  capacity: null,
  nextFile: 4,
  createdMs: 0,
  copies: 0,
  openParts: 0,
  expiresMs: null,
  cleanings: 0,
  isUsedUp: false,
  ...more,
});
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
