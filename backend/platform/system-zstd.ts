import { loadSystemLibrary, type SystemLibrary, thereIs } from './system-library.ts';

/** How frames are made. Each number is what zstd.h means by it; what is left out follows the level. */
export interface ZstdSettings {
  readonly level: number;
  /** 1 = the quickest search. */
  readonly strategy?: number;
  readonly windowLog?: number;
  readonly hashLog?: number;
  readonly minMatch?: number;
}

/**
 * The zstd library of the system, called as it is. The addons for Node make a context with its tables and a new memory for
 * each frame, which for a file of some kilobytes takes longer than the work itself; here one context for each kind of frame
 * and one for reading live as long as the thread. Measured with texts of 11 KB and with 8 MiB of them: compressing 51
 * against 101 µs and as long as the runtime's own, decompressing 22 against 48 µs and 15 against 30 ms.
 */
export interface SystemZstd {
  /**
   * Makes one frame without length of content and check sum at the beginning of `into`; answers its length, or -1 when it failed or
   * did not fit.
   */
  readonly compress: (settings: ZstdSettings, raw: Uint8Array, into: Uint8Array) => number;
  /** Answers how many bytes the frame was, or -1 when it is damaged or does not fit. */
  readonly decompress: (stored: Uint8Array, into: Uint8Array) => number;
  /** What decodes a frame piece by piece; null when the library has no such calls. */
  readonly steps: () => ZstdSteps | null;
}

/** Decodes one frame after the other, each piece by piece to where the piece before ended. */
export interface ZstdSteps {
  /** A frame that was begun before is given up. */
  readonly begin: () => void;
  /** How many bytes of the frame `step` is to be given next; 0 when it has ended. */
  readonly wanted: () => number;
  /** Answers how many bytes stand at the beginning of `into` now, or -1 when the frame is damaged or they do not fit. */
  readonly step: (piece: Uint8Array, into: Uint8Array) => number;
  readonly free: () => void;
}

/** The least work that zstd does. */
export const QUICKEST: ZstdSettings = { level: 1 };

let found: SystemZstd | null | undefined;

/** Loads on first use; null where there is none, and the addon does the same work. */
export function systemZstd(): SystemZstd | null {
  if (found === undefined) found = load();
  return found;
}

/** Other names would need another check of what they are. */
const LIBRARY = 'libzstd.so.1';
/** ZSTD_compress2 and parameters that stay are stable from 1.4.0 on. */
const OLDEST_VERSION = 10_400;

function load(): SystemZstd | null {
  if (process.platform !== 'linux') return null;
  try {
    const bound = bind();
    if (bound === null) return null;
    if (works(bound.zstd)) {
      // A thread's memory of the library is not given back by its end. One that V8 ends for want of memory asks nobody: what it
      // had here, a megabyte or two for each kind of frame, is lost then until the process ends.
      process.once('exit', bound.free);
      return bound.zstd;
    }
    bound.free();
    return null;
  } catch {
    // No such library, or no koffi for this system: that is what the addon is there for.
    return null;
  }
}

/** ZSTD_cParameter of zstd.h. */
const PARAMETERS = {
  level: 100,
  windowLog: 101,
  hashLog: 102,
  minMatch: 105,
  strategy: 107,
} as const satisfies Readonly<Record<keyof ZstdSettings, number>>;
const CONTENT_SIZE_FLAG = 200;

function bind(): { readonly zstd: SystemZstd; readonly free: () => void } | null {
  const lib = loadSystemLibrary(LIBRARY);
  if (Number(lib.func('uint32_t ZSTD_versionNumber()')()) < OLDEST_VERSION) return null;
  const createEncoder = lib.func('void* ZSTD_createCCtx()');
  const freeEncoder = lib.func('size_t ZSTD_freeCCtx(void*)');
  const createDecoder = lib.func('void* ZSTD_createDCtx()');
  const freeDecoder = lib.func('size_t ZSTD_freeDCtx(void*)');
  const setParameter = lib.func('size_t ZSTD_CCtx_setParameter(void*, int, int)');
  const isError = lib.func('uint32_t ZSTD_isError(size_t)');
  const compress = lib.func('size_t ZSTD_compress2(void*, void*, size_t, const void*, size_t)');
  const decompress = lib.func('size_t ZSTD_decompressDCtx(void*, void*, size_t, const void*, size_t)');

  const stepping = steppingOf(lib);
  const encoders = new Map<ZstdSettings, unknown>();
  const stepDecoders = new Set<unknown>();
  let decoder: unknown = null;
  const encoderFor = (settings: ZstdSettings): unknown => {
    const known = encoders.get(settings);
    if (known !== undefined) return known;
    const encoder = thereIs(createEncoder());
    const set = (parameter: number, value: number) => {
      if (isError(setParameter(encoder, parameter, value)) !== 0)
        throw new Error(`zstd takes no ${value} for its parameter ${parameter}`);
    };
    for (const [name, value] of Object.entries(settings)) set(PARAMETERS[name as keyof ZstdSettings], value);
    set(CONTENT_SIZE_FLAG, 0);
    encoders.set(settings, encoder);
    return encoder;
  };
  /** An error of zstd is a length that no memory has. */
  const lengthIn = (into: Uint8Array, length: unknown): number => {
    const number = Number(length);
    return number > into.length ? -1 : number;
  };
  const zstd: SystemZstd = {
    compress: (settings, raw, into) =>
      lengthIn(into, compress(encoderFor(settings), into, into.length, raw, raw.length)),
    decompress: (stored, into) => {
      decoder ??= thereIs(createDecoder());
      return lengthIn(into, decompress(decoder, into, into.length, stored, stored.length));
    },
    steps: () => {
      if (stepping === null) return null;
      const { beginFrame, wanted, next } = stepping;
      const own = thereIs(createDecoder());
      stepDecoders.add(own);
      return {
        begin: () => {
          if (isError(beginFrame(own)) !== 0) throw new Error('zstd cannot begin a frame');
        },
        wanted: () => Number(wanted(own)),
        step: (piece, into) => lengthIn(into, next(own, into, into.length, piece, piece.length)),
        free: () => {
          if (stepDecoders.delete(own)) freeDecoder(own);
        },
      };
    },
  };
  const free = (): void => {
    for (const own of stepDecoders) freeDecoder(own);
    stepDecoders.clear();
    for (const encoder of encoders.values()) freeEncoder(encoder);
    encoders.clear();
    if (decoder !== null) freeDecoder(decoder);
    decoder = null;
  };
  return { zstd, free };
}

/** Calls that zstd.h counts among the advanced ones: a later library may be without. */
function steppingOf(lib: SystemLibrary) {
  try {
    return {
      beginFrame: lib.func('size_t ZSTD_decompressBegin(void*)'),
      wanted: lib.func('size_t ZSTD_nextSrcSizeToDecompress(void*)'),
      next: lib.func('size_t ZSTD_decompressContinue(void*, void*, size_t, const void*, size_t)'),
    };
  } catch {
    // Frames are decoded as a whole then.
    return null;
  }
}

const ZSTD_MAGIC = 0xfd2fb528;
const SAMPLE = Buffer.from('a few words, and a few words more, and more of the few words '.repeat(40));

/** A library that calls itself zstd and does another thing is found out before any data is given to it. */
function works(zstd: SystemZstd): boolean {
  const frame = Buffer.alloc(SAMPLE.length);
  const length = zstd.compress(QUICKEST, SAMPLE, frame);
  if (length < 0 || frame.readUInt32LE(0) !== ZSTD_MAGIC || frame[4] !== 0) return false;
  const back = Buffer.alloc(SAMPLE.length);
  return zstd.decompress(frame.subarray(0, length), back) === SAMPLE.length && back.equals(SAMPLE);
}
