import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { connections as en } from '../en/connections.ts';

export const connections: Translated<typeof en> = {};
