import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { strategies as en } from '../en/strategies.ts';

export const strategies: Translated<typeof en> = {};
