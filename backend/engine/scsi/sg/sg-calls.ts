import { createRequire } from 'node:module';
import { endianness } from 'node:os';
import { getSystemErrorName } from 'node:util';
import { DeviceError } from '../../device-error.ts';
import { sgIoRequest } from './sg-io.ts';

/** The call into the kernel, replaced in tests. */
export interface SgCalls {
  /** Address of the first byte; whoever asks keeps the buffer while the address is used. */
  address(buffer: Uint8Array): bigint;
  /** SG_IO, off the event loop. Rejects with an error that has the system's `code`. */
  run(fd: number, header: Buffer): Promise<void>;
}

interface Koffi {
  load(path: null): {
    func(definition: string): {
      async(...args: readonly [...unknown[], (error: unknown, result: number) => void]): void;
    };
  };
  address(value: Uint8Array): bigint | number;
  errno(): number;
}

let loaded: SgCalls | undefined;

/** Throws `permanent` where the kernel's interface cannot be used. */
export function loadSgCalls(): SgCalls {
  loaded ??= bind();
  return loaded;
}

function bind(): SgCalls {
  const isKnown =
    process.platform === 'linux' && endianness() === 'LE' && ['x64', 'arm64'].includes(process.arch);
  if (!isKnown) throw new DeviceError('permanent', 'SCSI generic devices are used on 64-bit Linux only.');
  const koffi = createRequire(import.meta.url)('koffi') as Koffi;
  const ioctl = koffi.load(null).func('int ioctl(int, unsigned long, void*)');
  return {
    address: (buffer) => BigInt(koffi.address(buffer)),
    run: (fd, header) =>
      new Promise((resolve, reject) => {
        ioctl.async(fd, sgIoRequest, header, (error, result) => {
          if (error) reject(error);
          else if (result < 0) reject(systemError(koffi.errno()));
          else resolve();
        });
      }),
  };
}

function systemError(errno: number): Error {
  const code = errno > 0 ? getSystemErrorName(-errno) : 'EIO';
  return Object.assign(new Error(`${code}: ioctl SG_IO`), { code, errno: -errno, syscall: 'ioctl' });
}
