import { z } from 'zod';

/** What the backend tells its starter. The address is learned from here and never guessed. */
const BackendMessage = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('ready'),
    url: z.url({ protocol: /^http$/, hostname: /^(127\.0\.0\.1|localhost|\[::1\])$/ }),
    pid: z.int().positive(),
    version: z.string().max(64),
    superuser: z.string().min(1).max(255),
  }),
  z.object({ event: z.literal('failed'), reason: z.string(), exitCode: z.int() }),
]);
export type BackendMessage = z.infer<typeof BackendMessage>;

/** Null for anything else: what a wrong program says is no reason to believe it. */
export function parseBackendMessage(data: unknown): BackendMessage | null {
  const parsed = BackendMessage.safeParse(data);
  return parsed.success ? parsed.data : null;
}
