import { Agent, request } from 'undici';
import { knownAuthorities } from '../api/authorities.ts';
import { t } from '../texts/index.ts';

const withinMs = 15_000;
const mostBytes = 64 * 1024;

/** One question over https to a server that this computer trusts; no redirect is followed. Errors say what is wrong in a person's words. */
export async function readFeed(
  url: string,
  options: { readonly ca?: readonly string[] } = {},
): Promise<string> {
  const agent = new Agent({
    connect: { ...(options.ca ? { ca: [...options.ca] } : knownAuthorities()), timeout: 5_000 },
    maxResponseSize: mostBytes,
  });
  try {
    const signal = AbortSignal.timeout(withinMs);
    const { statusCode, body } = await request(url, { dispatcher: agent, signal });
    if (statusCode !== 200) {
      body.on('error', () => undefined).destroy();
      throw new Error(t('updates.status', { status: statusCode }));
    }
    return await body.text();
  } finally {
    await agent.destroy();
  }
}
