import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { palette as en } from '../en/palette.ts';

export const palette: Translated<typeof en> = {};
