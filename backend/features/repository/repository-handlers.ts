import type { HandlersOf } from '../../http/handler.ts';
import type { CopyService } from './copy-service.ts';
import type { ExpiryHoldService } from './expiry-hold.ts';
import type { RepositoryService } from './repository-service.ts';
import type { RetentionPreview } from './retention-preview.ts';

type Names =
  | 'repository.list'
  | 'repository.get'
  | 'repository.deleteMany'
  | 'repository.delete'
  | 'repository.dependencies'
  | 'repository.extension'
  | 'repository.retentionPreview'
  | 'repository.expiryHold'
  | 'repository.endExpiryHold'
  | 'repository.update'
  | 'repository.restore'
  | 'repository.copy'
  | 'repository.move'
  | 'repository.verify'
  | 'repository.files';

export function createRepositoryHandlers(
  copies: CopyService,
  repository: RepositoryService,
  previewRetention: RetentionPreview,
  hold: Pick<ExpiryHoldService, 'read' | 'confirm'>,
): HandlersOf<Names> {
  return {
    'repository.list': ({ list, user }) => copies.list(list, user.clientGroupIds),
    'repository.get': ({ params, user }) => copies.get(params.id, user.clientGroupIds),
    'repository.deleteMany': ({ body, user }) =>
      copies.removeCopies(body.ids, { groups: user.clientGroupIds }),
    'repository.delete': ({ params, user }) =>
      copies.removeCopies([params.id], { groups: user.clientGroupIds }),
    'repository.dependencies': ({ body, user }) => copies.dependencies(body.ids, user.clientGroupIds),
    'repository.extension': ({ query, user }) =>
      repository.extension(query.repository_id, user.clientGroupIds),
    'repository.retentionPreview': ({ query, list, user }) =>
      previewRetention(query, list, user.clientGroupIds),
    'repository.expiryHold': () => hold.read(),
    'repository.endExpiryHold': () => hold.confirm(),
    'repository.update': ({ params, body, user }) => copies.update(params.id, body, user.clientGroupIds),
    'repository.restore': ({ params, body, user }) => repository.restore(params.id, body, user),
    'repository.copy': ({ params, query, user }) =>
      repository.transfer('copy', params.id, query.pool_name, user),
    'repository.move': ({ params, query, user }) =>
      repository.transfer('move', params.id, query.pool_name, user),
    'repository.verify': ({ params, user }) => repository.verify(params.id, user),
    'repository.files': ({ params, query, list, user }) =>
      repository.files(params.id, { query, list }, user.clientGroupIds),
  };
}
