import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { fleet as en } from '../en/fleet.ts';

export const fleet: Translated<typeof en> = {};
