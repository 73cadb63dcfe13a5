import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { keys as en } from '../en/keys.ts';

export const keys: Translated<typeof en> = {};
