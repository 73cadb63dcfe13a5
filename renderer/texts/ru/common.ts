import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { common as en } from '../en/common.ts';

export const common: Translated<typeof en> = {};
