import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { status as en } from '../en/status.ts';

export const status: Translated<typeof en> = {};
