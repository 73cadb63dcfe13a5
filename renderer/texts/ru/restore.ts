import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { restore as en } from '../en/restore.ts';

export const restore: Translated<typeof en> = {};
