import { expect, test } from 'vitest';
import { boardOf } from '../../../../renderer/features/tape-libraries/board-rules.ts';
import { treeLines } from '../../../../renderer/features/tape-libraries/library-tree.ts';
import { cartridge, element, library } from '../tape-rows.ts';

const entry = (change: Parameters<typeof library>[0]) => ({
  library: library(change),
  medium_changers: [],
  tape_drives: [],
  slots: [],
});
const two = [entry({}), entry({ id: 2, media_server: 'far', pool: 'Others', slots_count: 9 })];
const shown = {
  library: library(),
  board: boardOf(
    [
      element('drive', 1, 'SR0002L8'),
      element('storage', 1, 'SR0001L8', { cartridge: 1 }),
      element('storage', 2),
    ],
    [cartridge(1)],
    null,
  ),
  cartridges: [],
  simulated: null,
};
const drawn = (isOpen: (id: string) => boolean) =>
  treeLines(two, shown, isOpen).map(({ level, name, note }) => `${'  '.repeat(level - 1)}${name}: ${note}`);

test('media servers, libraries, drives and places, live where the board is shown', () => {
  expect(drawn(() => true)).toEqual([
    'far: ',
    '  TAPE-LIBRARY (pool Others): Online',
    '    Drives: 0',
    '    Slots: 9',
    '    Import/export: ',
    'here: ',
    '  TAPE-LIBRARY (pool Tapes): Online',
    '    Drives: 0',
    '      Drive 1: SR0002L8',
    '    Slots: 1 of 2 full',
    '      Slot 1: SR0001L8',
    '      Slot 2: empty',
    '    Import/export: 0 of 0 full',
  ]);
});

test('what is closed hides what is below it', () => {
  expect(drawn((id) => id !== 'server here' && id !== 'library 2')).toEqual([
    'far: ',
    '  TAPE-LIBRARY (pool Others): Online',
    'here: ',
  ]);
});
