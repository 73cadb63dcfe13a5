import type { HandlersOf } from '../../http/handler.ts';
import type { AuditStore } from './audit-store.ts';

export function createAuditHandlers(audit: Pick<AuditStore, 'list'>): HandlersOf<'auditLog.list'> {
  return {
    'auditLog.list': async ({ list }) => {
      const { rows, total } = await audit.list(list);
      return { rows: [...rows], total };
    },
  };
}
