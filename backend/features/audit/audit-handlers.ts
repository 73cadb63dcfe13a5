import type { HandlersOf } from '../../http/handler.ts';
import type { AuditStore } from './audit-store.ts';

export function createAuditHandlers(audit: Pick<AuditStore, 'list'>): HandlersOf<'auditLog.list'> {
  return {
    'auditLog.list': ({ list }) => audit.list(list),
  };
}
