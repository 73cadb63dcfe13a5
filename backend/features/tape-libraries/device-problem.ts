import { DeviceError } from '../../engine/index.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';

/** The refusal that tells of a device which could not be used; anything else stays what it is. */
export function describeDeviceProblem(error: unknown, field: string, log: Log): unknown {
  if (!(error instanceof DeviceError)) return error;
  log.warn('a tape library could not be read', { reason: error.kind, error });
  return new Refusal('state.notAllowed', {
    message: `The library could not be read. ${error.message}`,
    errors: { [field]: `could not be read: ${error.message}` },
    cause: error,
  });
}
