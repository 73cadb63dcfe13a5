import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { permissions as en } from '../en/permissions.ts';

export const permissions: Translated<typeof en> = {};
