import path from 'node:path';
import { errorCode } from '../../platform/native.ts';
import { BlockSource } from '../blocks/block-source.ts';
import type { ByteSource } from '../crypto/byte-source.ts';
import { blockSealOf, openStored, storedName } from '../crypto/copy-secret.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import type { ManifestReader } from '../manifest/manifest-reader.ts';
import { type ArrivingArchive, ArrivingSource } from './arriving-archive.ts';
import type { BlocksInput } from './blocks-input.ts';

/** Null for a copy with an archive. Throws `notFound` when the store of its blocks is another one than that of `blocks`. */
export function openBlocks(
  reader: ManifestReader,
  control: Control,
  blocks: BlocksInput | null,
): BlockSource | null {
  const facts = reader.file.header.blocks;
  if (facts === undefined) return null;
  if (blocks?.link.facts.storeId !== facts.store) {
    throw new DeviceError('notFound', 'The block device that holds the data of this copy is not there.');
  }
  const seal = blockSealOf(reader.file.secret, blocks.link.facts);
  return new BlockSource(blocks.link, control, blocks.isPresenceOnly ? 'presence' : 'content', seal);
}

/** Null when it is not there; `damaged`: nothing of it can be opened. */
export function openArchive(
  reader: ManifestReader,
  name: string,
  arriving: ArrivingArchive | null,
  control: Control,
): ByteSource | 'damaged' | null {
  const { copyPath, secret } = reader.file;
  if (arriving !== null) {
    const file = path.join(arriving.folder, storedName(name, secret?.cipher ?? null));
    return new ArrivingSource(arriving.memory, file, control);
  }
  try {
    return openStored(copyPath, name, 'archive', secret);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (error instanceof DeviceError && error.kind === 'corrupt') return 'damaged';
    throw toDeviceError(error, 'The archive of this copy cannot be read');
  }
}
