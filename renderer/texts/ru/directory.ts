import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { directory as en } from '../en/directory.ts';

export const directory: Translated<typeof en> = {};
