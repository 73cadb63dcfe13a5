import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';

/** Asked for on a full disk, at least. */
const LEAST_BYTES = 1_048_576;

/** Why a copy cannot be written to the folder of a storage. A full disk is told with figures: how much is still to come, at the ratio reached so far. */
export function refusedWrite(
  error: unknown,
  storagePath: string,
  control: Control,
  writtenBytes: number,
): Error {
  const refused = toDeviceError(error, `The copy cannot be written to the storage ${storagePath}`);
  // A block store says itself what it needs.
  const isOther = error instanceof DeviceError;
  if (isOther || !(refused instanceof DeviceError) || refused.kind !== 'noSpace') return refused;
  const total = control.get('bytesTotal');
  const done = Math.max(1, control.get('bytesDone'));
  const needed =
    total < 0 ? LEAST_BYTES : Math.max(LEAST_BYTES, Math.ceil((writtenBytes * total) / done) - writtenBytes);
  return new DeviceError(
    'noSpace',
    `The storage ${storagePath} is full after ${writtenBytes} bytes of this copy. About ${needed} more bytes are needed; free space or choose another storage.`,
    { cause: error, bytesNeeded: needed },
  );
}
