import type { HandlersOf } from '../../http/handler.ts';
import type { BlockDeviceService } from './block-device-service.ts';

type Names =
  | 'blockDevices.list'
  | 'blockDevices.get'
  | 'blockDevices.create'
  | 'blockDevices.update'
  | 'blockDevices.deleteMany'
  | 'blockDevices.delete';

export function createBlockDeviceHandlers(devices: BlockDeviceService): HandlersOf<Names> {
  return {
    'blockDevices.list': ({ list }) => devices.list(list),
    'blockDevices.get': ({ params }) => devices.get(params.id),
    'blockDevices.create': ({ body }) => devices.create(body),
    'blockDevices.update': ({ params, body }) => devices.update(params.id, body),
    'blockDevices.deleteMany': ({ body }) => devices.remove(body.ids),
    'blockDevices.delete': ({ params }) => devices.remove([params.id]),
  };
}
