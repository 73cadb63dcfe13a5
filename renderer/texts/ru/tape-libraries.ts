import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { tapeLibraries as en } from '../en/tape-libraries.ts';

export const tapeLibraries: Translated<typeof en> = {};
