import { errorCode } from '../../platform/native.ts';
import type { ByteSource } from '../crypto/byte-source.ts';
import type { PieceSeal } from '../crypto/copy-secret.ts';
import { SEAL_FRAME } from '../crypto/gcm.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import type { Frame } from '../manifest/frame-table.ts';
import type { FrameCodec } from './codec.ts';
import type { ContentHash } from './hash.ts';
import { FRAME_DAMAGED, FRAME_GOOD, FRAME_MISSING } from './stream.ts';

/** Fills `into` with the stored bytes of a frame; answers its status. */
export function readFrame(archive: ByteSource, into: Buffer, offset: number): number {
  try {
    return archive.read(into, offset) === into.length ? FRAME_GOOD : FRAME_MISSING;
  } catch (error) {
    if (errorCode(error) === 'EIO') return FRAME_MISSING;
    if (error instanceof DeviceError && error.kind === 'corrupt') return FRAME_DAMAGED;
    throw toDeviceError(error, 'The archive of this copy cannot be read');
  }
}

type FrameFacts = Pick<Frame, 'index' | 'rawLength' | 'hash'>;

interface OpenerTools {
  readonly hash: ContentHash;
  readonly seal: PieceSeal | null;
  readonly codec: FrameCodec;
}

/** The stretch of the tar stream in these stored bytes; null when they are not what was written as this frame. */
export function openFrame(stored: Buffer, frame: FrameFacts, by: OpenerTools): Buffer | null {
  return open(stored, frame, by, (codec, bytes) => codec.decode(bytes, frame.rawLength));
}

/**
 * The same into memory that is there already; false when they are not what was written as this frame. `decode`: in place of the codec's
 * own, as what only begins with it.
 */
export function openFrameInto(
  into: Buffer,
  stored: Buffer,
  frame: FrameFacts,
  by: OpenerTools,
  decode: FrameCodec['decodeInto'] = by.codec.decodeInto,
): boolean {
  const isOpened = open(stored, frame, by, (_, bytes) => {
    decode(bytes, into.subarray(0, frame.rawLength));
    return true;
  });
  return isOpened ?? false;
}

function open<T>(
  stored: Buffer,
  { index, hash }: FrameFacts,
  by: OpenerTools,
  decode: (codec: FrameCodec, bytes: Buffer) => T | null,
): T | null {
  if (by.hash.of(stored) !== hash) return null;
  try {
    const opened = by.seal === null ? stored : by.seal.open(SEAL_FRAME, index, stored);
    return opened === null ? null : decode(by.codec, opened);
  } catch {
    // Right hash but not decodable: the frame was made wrong. That is damage of this frame, told by its status.
    return null;
  }
}
