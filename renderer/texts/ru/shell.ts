import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { shell as en } from '../en/shell.ts';

export const shell: Translated<typeof en> = {};
