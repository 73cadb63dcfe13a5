import { errorCode, isSystemCode } from '../platform/native.ts';

export type DeviceErrorKind =
  | 'notFound'
  | 'busy'
  | 'noSpace'
  | 'permission'
  | 'corrupt'
  | 'cancelled'
  | 'transient'
  | 'permanent';

/** What a device or a file system refused, classified so that the caller can decide without reading text. */
export class DeviceError extends Error {
  readonly kind: DeviceErrorKind;
  /** Bytes that would be needed for the work to succeed, where known (`noSpace`). */
  readonly bytesNeeded: number | null;
  /** The drive says that the cartridge must not be written (`permission`); without it a right of this server is missing. */
  readonly isWriteProtected: boolean;

  constructor(
    kind: DeviceErrorKind,
    message: string,
    options: {
      readonly cause?: unknown;
      readonly bytesNeeded?: number;
      readonly isWriteProtected?: boolean;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DeviceError';
    this.kind = kind;
    this.bytesNeeded = options.bytesNeeded ?? null;
    this.isWriteProtected = options.isWriteProtected ?? false;
  }
}

const KINDS: Readonly<Record<string, DeviceErrorKind>> = {
  ENOENT: 'notFound',
  ENOTDIR: 'notFound',
  ESTALE: 'notFound',
  EBUSY: 'busy',
  ETXTBSY: 'busy',
  ENOSPC: 'noSpace',
  EDQUOT: 'noSpace',
  EFBIG: 'noSpace',
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
  EAGAIN: 'transient',
  EINTR: 'transient',
  EMFILE: 'transient',
  ENFILE: 'transient',
  ENOMEM: 'transient',
};

/** Gives an error of a file call its kind and says what was being done. Errors that are bugs pass unchanged. */
export function toDeviceError(error: unknown, doing: string): Error {
  if (error instanceof DeviceError) return error;
  const code = errorCode(error);
  if (!isSystemCode(code)) return error instanceof Error ? error : new Error(String(error));
  return new DeviceError(KINDS[code] ?? 'permanent', `${doing}: ${reasonOf(code)}.`, { cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EACCES: 'this server has no right to it',
  EPERM: 'this server has no right to it',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full; free space there, or choose another place',
  EDQUOT: 'its quota is used up; raise it, or choose another place',
  EIO: 'the disk reports an error',
  ELOOP: 'a link is in its place',
  EBUSY: 'it is in use',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOMEM: 'memory ran out',
};

/** For people: words, and the code behind them for whoever looks it up. */
function reasonOf(code: string): string {
  const words = REASONS[code];
  return words === undefined ? code : `${words} (${code})`;
}

export type ErrnoClass = 'permission' | 'vanished' | 'io' | 'limit' | 'unsupported' | 'other';

/** The class of an error met at one file, for the list of skipped items. */
export function errnoClass(code: string): ErrnoClass {
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'permission';
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ESTALE') return 'vanished';
  if (code === 'EIO' || code === 'EUCLEAN' || code === 'ENXIO' || code === 'EREMOTEIO') return 'io';
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENAMETOOLONG' || code === 'ENOMEM') return 'limit';
  if (code === 'EOPNOTSUPP' || code === 'ENOTSUP' || code === 'ENODEV') return 'unsupported';
  return 'other';
}

/** Errors cross from worker threads as plain data. */
export interface ErrorData {
  readonly kind: DeviceErrorKind | null;
  readonly message: string;
  readonly stack: string;
  readonly code: string;
  readonly bytesNeeded: number | null;
  readonly isWriteProtected: boolean;
}

export function toErrorData(error: unknown): ErrorData {
  const kind = error instanceof DeviceError ? error.kind : null;
  const cause = error instanceof DeviceError ? error.cause : error;
  return {
    kind,
    message: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? (error.stack ?? '') : '',
    code: errorCode(cause),
    bytesNeeded: error instanceof DeviceError ? error.bytesNeeded : null,
    isWriteProtected: error instanceof DeviceError && error.isWriteProtected,
  };
}

export function fromErrorData(data: ErrorData): DeviceError {
  const cause = Object.assign(new Error(data.message), { code: data.code });
  cause.stack = data.stack;
  const { isWriteProtected, bytesNeeded } = data;
  const options = { cause, isWriteProtected, ...(bytesNeeded === null ? {} : { bytesNeeded }) };
  return new DeviceError(data.kind ?? 'permanent', data.message, options);
}
