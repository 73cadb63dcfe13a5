import type { HandlersOf } from '../../http/handler.ts';
import type { StatisticsService } from './statistics-service.ts';

export function createStatisticsHandlers(statistics: StatisticsService): HandlersOf<'statistics.get'> {
  return {
    'statistics.get': ({ query, user }) => statistics.read(query, user.clientGroupIds),
  };
}
