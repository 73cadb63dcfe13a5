import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { tasks as en } from '../en/tasks.ts';

export const tasks: Translated<typeof en> = {};
