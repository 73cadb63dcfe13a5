import { endpoint } from '../endpoint.ts';
import { Configuration, ConfigurationPatch, ServiceMode } from './configuration.ts';

export const configurationEndpoints = {
  'configuration.get': endpoint({
    method: 'GET',
    path: '/global_configuration',
    tag: 'Global configuration',
    summary: 'The global configuration and the mode of the server',
    permission: 'global_configuration.read',
    result: Configuration,
    success: 200,
    refuses: [],
  }),
  'configuration.update': endpoint({
    method: 'PATCH',
    path: '/global_configuration',
    tag: 'Global configuration',
    summary: 'Change the global configuration',
    permission: 'global_configuration.write',
    body: ConfigurationPatch,
    wrap: 'flat',
    result: Configuration,
    success: 200,
    refuses: [400],
  }),
  'configuration.serviceMode': endpoint({
    method: 'PATCH',
    path: '/global_configuration/service_mode',
    tag: 'Global configuration',
    summary: 'Switch between normal and service mode',
    permission: 'service_mode.write',
    body: ServiceMode,
    wrap: 'flat',
    result: Configuration,
    success: 200,
    refuses: [400],
  }),
} as const;
