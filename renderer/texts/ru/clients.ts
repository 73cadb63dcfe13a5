import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { clients as en } from '../en/clients.ts';

export const clients: Translated<typeof en> = {};
