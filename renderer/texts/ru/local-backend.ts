import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { localBackend as en } from '../en/local-backend.ts';

export const localBackend: Translated<typeof en> = {};
