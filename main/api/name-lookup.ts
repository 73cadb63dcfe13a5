import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';

type Callback = (error: Error | null, addresses: LookupAddress[]) => void;
type Lookup = (hostname: string, options: LookupOptions, callback: Callback) => void;

/**
 * Name lookups block a thread of a pool of four, for as long as a name server is silent; files are read by the same
 * threads. So one name is looked up once at a time however many connections ask, and no more than `mostAtOnce` names
 * together: a dead name server cannot stop the rest of the app.
 */
export function createNameLookup(lookup: Lookup = askSystem, mostAtOnce = 2) {
  const waiting = new Map<string, Callback[]>();
  const queue: string[] = [];
  let running = 0;

  const next = (): void => {
    while (running < mostAtOnce) {
      const hostname = queue.shift();
      if (hostname === undefined) return;
      running++;
      lookup(hostname, { all: true }, (error, addresses) => {
        running--;
        const callbacks = waiting.get(hostname) ?? [];
        waiting.delete(hostname);
        for (const callback of callbacks) callback(error, addresses);
        next();
      });
    }
  };

  /** Signature of `net.connect`'s option `lookup`. */
  return (
    hostname: string,
    options: LookupOptions,
    callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    const answer: Callback = (error, addresses) => {
      if (error) return callback(error, []);
      const fitting = addresses.filter(
        ({ family }) => !options.family || family === familyNumber(options.family),
      );
      if (options.all) return callback(null, fitting);
      const [first] = fitting;
      if (!first)
        return callback(Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' }), '');
      return callback(null, first.address, first.family);
    };
    const others = waiting.get(hostname);
    if (others) {
      others.push(answer);
      return;
    }
    waiting.set(hostname, [answer]);
    queue.push(hostname);
    next();
  };
}

function familyNumber(family: LookupOptions['family']): number {
  if (family === 'IPv4') return 4;
  if (family === 'IPv6') return 6;
  return family ?? 0;
}

const askSystem: Lookup = (hostname, _options, callback) => systemLookup(hostname, { all: true }, callback);
