import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { firstRun as en } from '../en/first-run.ts';

export const firstRun: Translated<typeof en> = {};
