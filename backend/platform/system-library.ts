import { type Koffi, loadKoffi } from './native.ts';

export type SystemLibrary = ReturnType<Koffi['load']>;

/** A library of the system by its soname, as the loader of the system finds it. Throws where there is none. */
export function loadSystemLibrary(soname: string): SystemLibrary {
  const koffi = loadKoffi();
  // It must call its own functions: Node's executable has others of the same names and of another version, Electron's those of BoringSSL,
  // which come first unless the loader is told so. Only that of glibc can be told; this throws where the C library is another one.
  koffi.load(null).func('const char* gnu_get_libc_version()');
  return koffi.load(soname, { deep: true });
}

/** What such a library made or has; it answers nothing where it could not. */
export function thereIs(pointer: unknown): unknown {
  if (pointer === null) throw new Error('a library of the system has no memory, or not what is asked for');
  return pointer;
}
