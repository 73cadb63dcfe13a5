import type { Translated } from '../../../contract/texts/create-texts.ts';
import type { auditLog as en } from '../en/audit-log.ts';

export const auditLog: Translated<typeof en> = {};
