import type { Pool } from 'undici';

/** The connections to one server: `calls` of several at a time, `stream` of its own for the stream of events. */
export interface Pools {
  readonly calls: () => Promise<Pool>;
  readonly stream: () => Promise<Pool>;
  /** Ends every call and connection now; what is asked afterwards fails as it does on a connection that was ended. */
  readonly close: () => Promise<void>;
}

/** Made at the first call: the client library is dear to load, and the window is shown without it. */
export function createPools(
  origin: string,
  options: { readonly calls: Pool.Options; readonly stream: Pool.Options },
): Pools {
  let made: Promise<{ readonly calls: Pool; readonly stream: Pool }> | null = null;
  let isClosed = false;

  const make = async () => {
    const { Pool } = await import('undici');
    return { calls: new Pool(origin, options.calls), stream: new Pool(origin, options.stream) };
  };
  const destroy = async (): Promise<void> => {
    if (made === null) return;
    const { calls, stream } = await made;
    await Promise.all([calls.destroy(), stream.destroy()]);
  };
  const pools = async () => {
    made ??= make();
    if (isClosed) await destroy();
    return made;
  };

  return {
    calls: async () => (await pools()).calls,
    stream: async () => (await pools()).stream,
    close: async () => {
      isClosed = true;
      await destroy();
    },
  };
}
