import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { notices as en } from '../en/notices.ts';

export const notices: Translated<typeof en> = {};
