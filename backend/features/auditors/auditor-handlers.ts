import type { HandlersOf } from '../../http/handler.ts';
import type { AuditorService } from './auditor-service.ts';

type Names = 'auditors.list' | 'auditors.create' | 'auditors.deleteMany' | 'auditors.get' | 'auditors.delete';

export function createAuditorHandlers(auditors: AuditorService): HandlersOf<Names> {
  return {
    'auditors.list': ({ list }) => auditors.list(list),
    'auditors.create': ({ body, user }) => auditors.create(body.auditor, user.userName),
    'auditors.deleteMany': ({ body, user }) => auditors.remove(body.ids, user.userName),
    'auditors.get': ({ params }) => auditors.get(params.id),
    'auditors.delete': ({ params, user }) => auditors.remove([params.id], user.userName),
  };
}
