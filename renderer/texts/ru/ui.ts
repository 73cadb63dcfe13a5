import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { ui as en } from '../en/ui.ts';

export const ui: Translated<typeof en> = {};
