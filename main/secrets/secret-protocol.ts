import { z } from 'zod';

/** What main asks of the keychain process, one at a time, and what it answers. */
export const SecretRequest = z.discriminatedUnion('op', [
  z.object({ id: z.number(), op: z.literal('get'), service: z.string(), account: z.string() }),
  z.object({
    id: z.number(),
    op: z.literal('set'),
    service: z.string(),
    account: z.string(),
    value: z.string(),
  }),
  z.object({ id: z.number(), op: z.literal('delete'), service: z.string(), account: z.string() }),
]);
export type SecretRequest = z.infer<typeof SecretRequest>;

export const SecretAnswer = z.discriminatedUnion('ok', [
  z.object({ id: z.number(), ok: z.literal(true), value: z.string().nullable(), deleted: z.boolean() }),
  z.object({ id: z.number(), ok: z.literal(false), message: z.string(), missing: z.boolean() }),
]);
export type SecretAnswer = z.infer<typeof SecretAnswer>;
