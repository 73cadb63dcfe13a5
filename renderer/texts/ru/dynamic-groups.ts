import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { dynamicGroups as en } from '../en/dynamic-groups.ts';

export const dynamicGroups: Translated<typeof en> = {};
