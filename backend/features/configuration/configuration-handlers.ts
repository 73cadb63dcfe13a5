import type { HandlersOf } from '../../http/handler.ts';
import type { ConfigurationService } from './configuration-service.ts';

export function createConfigurationHandlers(
  configuration: ConfigurationService,
): HandlersOf<'configuration.get' | 'configuration.update' | 'configuration.serviceMode'> {
  return {
    'configuration.get': () => configuration.read(),
    'configuration.update': ({ body }) => configuration.update(body),
    'configuration.serviceMode': ({ body }) => configuration.setServiceMode(body.service_mode),
  };
}
