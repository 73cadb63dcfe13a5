import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { tapeBoard as en } from '../en/tape-board.ts';

export const tapeBoard: Translated<typeof en> = {};
