import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { storages as en } from '../en/storages.ts';

export const storages: Translated<typeof en> = {};
