import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { bandwidth as en } from '../en/bandwidth.ts';

export const bandwidth: Translated<typeof en> = {};
