import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { copies as en } from '../en/copies.ts';

export const copies: Translated<typeof en> = {};
