import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { charts as en } from '../en/charts.ts';

export const charts: Translated<typeof en> = {};
