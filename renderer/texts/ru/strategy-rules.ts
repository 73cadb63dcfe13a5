import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { strategyRules as en } from '../en/strategy-rules.ts';

export const strategyRules: Translated<typeof en> = {};
