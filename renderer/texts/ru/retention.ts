import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { retention as en } from '../en/retention.ts';

export const retention: Translated<typeof en> = {};
