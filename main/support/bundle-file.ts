import { z } from 'zod';
import { authTypes, ConnectionState, ProblemShape } from '../../contract/desktop/connection.ts';
import { t } from '../texts/index.ts';

export const bundleFormat = 'strongroom-support';
const version = 1;
const mostExchanges = 2_000;

const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), value: z.unknown() }),
  z.object({ kind: z.literal('problem'), problem: ProblemShape }),
  z.object({ kind: z.literal('later') }),
  z.object({ kind: z.literal('tooLarge'), chars: z.number() }),
]);

export const Bundle = z.object({
  format: z.literal(bundleFormat),
  version: z.literal(version),
  /** Epoch ms at which it was made. */
  made: z.number(),
  app: z.record(z.string().max(100), z.union([z.string().max(4096), z.boolean()])),
  connection: z.object({
    name: z.string().min(1).max(100),
    kind: z.enum(['local', 'remote']),
    address: z.string().max(2048),
    database: z.string().max(255),
    userName: z.string().max(255),
    authType: z.enum(authTypes),
    domain: z.string().max(255),
    zone: z.string().max(100),
    state: ConnectionState,
  }),
  exchanges: z
    .array(
      z.object({
        at: z.number(),
        ms: z.number(),
        name: z.string().max(100),
        input: z.unknown(),
        outcome: Outcome,
      }),
    )
    .max(mostExchanges),
  /** Requests of this connection with the heads of their answers; bundles of earlier versions have none. */
  wire: z
    .array(
      z.object({
        at: z.number(),
        ms: z.number(),
        method: z.string().max(20),
        path: z.string().max(8_192),
        sent: z.record(z.string().max(200), z.string()),
        status: z.number().nullable(),
        received: z.record(z.string().max(200), z.string()),
        problem: z.string().nullable(),
      }),
    )
    .max(mostExchanges)
    .default([]),
  /** The end of the app's own log, a line each. */
  log: z.array(z.string().max(20_000)).max(2_000),
});
export type Bundle = z.infer<typeof Bundle>;

export function writeBundle(bundle: Omit<Bundle, 'format' | 'version'>): string {
  return `${JSON.stringify({ format: bundleFormat, version, ...bundle }, null, 1)}\n`;
}

/** The bundle, or in one sentence why the text is none. */
export function readBundle(text: string): Bundle | string {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // Whatever it is, it is not what we write.
    return t('files.noJson');
  }
  const head = z.object({ format: z.literal(bundleFormat), version: z.number() }).safeParse(json);
  if (!head.success) return t('bundle.foreign');
  if (head.data.version > version) return t('files.newer');
  const bundle = Bundle.safeParse(json);
  if (bundle.success) return bundle.data;
  const [issue] = bundle.error.issues;
  return t('bundle.damaged', { detail: `${issue?.path.join('.')}: ${issue?.message}` });
}
