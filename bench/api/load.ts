import autocannon from 'autocannon';

/** What one address took under load. */
export interface Load {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
}

export interface Target {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Asks again and again over a few connections. Rejects when an answer was no success: a refusal is fast, and no figure. */
export async function load(target: Target, options: { readonly seconds: number }): Promise<Load> {
  const result = await autocannon({
    url: target.url,
    method: target.method,
    headers: { ...target.headers },
    ...(target.body === undefined ? {} : { body: target.body }),
    connections: 8,
    duration: options.seconds,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${target.method} ${target.url}: ${result.non2xx} refusals, ${result.errors} errors`);
  }
  return { requestsPerSecond: result.requests.average, p99Ms: result.latency.p99 };
}
