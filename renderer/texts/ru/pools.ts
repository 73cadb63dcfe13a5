import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { pools as en } from '../en/pools.ts';

export const pools: Translated<typeof en> = {};
