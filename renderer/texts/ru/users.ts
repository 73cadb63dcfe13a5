import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { users as en } from '../en/users.ts';

export const users: Translated<typeof en> = {};
