import type { Db } from '../../db/index.ts';
import { DeviceError, type TapeCopies } from '../../engine/index.ts';
import { onceMore } from './once-more.ts';
import type { TapeMounts } from './tape-mounts.ts';
import { createTapeStore, type PlacedPart } from './tape-store.ts';
import type { TapeWork } from './tape-work.ts';

/**
 * Reads all parts of a copy from their cartridges and compares them with the hashes on the tape; keeps them in the folder `folder`, which
 * may hold what an earlier attempt has brought, or, when it is null, nowhere. `arriving`: memory of an `ArrivingArchive` through which its
 * archive goes; `folder` is new then.
 */
export async function readTapeCopy(
  deps: { readonly db: Db; readonly mounts: TapeMounts; readonly tapeCopies: TapeCopies },
  copyUuid: string,
  folder: string | null,
  work: TapeWork,
  arriving: SharedArrayBuffer | null = null,
): Promise<void> {
  const parts = await createTapeStore(deps.db).partsOf(copyUuid);
  requireWhole(parts);
  const reading = arriving === null ? { isResumable: true } : { arriving };
  const reader = await deps.tapeCopies.openReader(folder, work.onBytes, reading);
  try {
    for (const part of parts) {
      const wanted = {
        tape: part.labelUuid ?? '',
        copy: copyUuid,
        number: part.number,
        file: part.file,
        bytes: part.bytes,
      };
      await deps.mounts.withCartridge(
        { id: part.cartridgeId, libraryId: part.libraryId },
        work.signal,
        async (drive, signal) => {
          work.log('info', `Reading part ${part.number} from the cartridge ${part.barcode}.`);
          const inside = { ...work, signal };
          work.onReading?.();
          const read = () => reader.readPart(drive, wanted, signal);
          const { passedBytes } = await onceMore(read, inside, 'The part is read once more.').catch(
            (error: unknown) => {
              throw naming(part.barcode, error);
            },
          );
          const rest =
            passedBytes === 0 ? '' : `; ${passedBytes} bytes of it were there and were not read again`;
          work.log('info', `Part ${part.number} was read from the cartridge ${part.barcode}${rest}.`);
        },
        work.log,
      );
    }
    await reader.finish();
  } finally {
    await reader.close();
  }
}

/** What is damaged is the tape of this cartridge; part, file and block stand in the message of the reader. */
function naming(barcode: string, error: unknown): unknown {
  if (!(error instanceof DeviceError) || error.kind !== 'corrupt' || error.message.includes(barcode))
    return error;
  return new DeviceError('corrupt', `The cartridge ${barcode} is damaged. ${error.message}`, {
    cause: error,
  });
}

function requireWhole(parts: readonly PlacedPart[]): void {
  const isInOrder = parts.every((part, index) => part.number === index + 1);
  if (isInOrder && parts.at(-1)?.isLast) return;
  throw new DeviceError(
    'notFound',
    'Not all parts of the copy are known; read the cartridges of its pool that were not scanned yet.',
  );
}
