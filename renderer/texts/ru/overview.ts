import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { overview as en } from '../en/overview.ts';

export const overview: Translated<typeof en> = {};
