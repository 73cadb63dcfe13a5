import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { configuration as en } from '../en/configuration.ts';

export const configuration: Translated<typeof en> = {};
