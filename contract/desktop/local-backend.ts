import { z } from 'zod';

/**
 * - `unused`: this computer has no local backend; `localBackend.use` makes one
 * - `starting`, `running`, `stopping`, `stopped`
 * - `waiting`: it ended unexpectedly and is started again at `retryAt`
 * - `failed`: it does not start; `reason` and the last lines of the log tell why; Retry, Open logs, remote servers only
 */
export const localBackendPhases = [
  'unused',
  'starting',
  'running',
  'stopping',
  'stopped',
  'waiting',
  'failed',
] as const;
export type LocalBackendPhase = (typeof localBackendPhases)[number];

/** A line of the backend's output. Not escaped: show it as text. */
export const LocalBackendLine = z.object({
  /** Grows by one with each line of this run of the app, over restarts of the backend. */
  id: z.number(),
  text: z.string(),
});
export type LocalBackendLine = z.infer<typeof LocalBackendLine>;

export const LocalBackendState = z.object({
  phase: z.enum(localBackendPhases),
  since: z.number(),
  /** One sentence for a person. */
  reason: z.string().nullable(),
  /** Short word: `missing`, `exit`, `junk`, `deadline`, `dataDirInUse`, `dataDirUnusable`, `badOptions`. */
  code: z.string().nullable(),
  exitCode: z.number().nullable(),
  retryAt: z.number().nullable(),
  /** Address of the API while it runs. */
  url: z.string().nullable(),
  pid: z.number().nullable(),
  version: z.string().nullable(),
  dataDir: z.string(),
  logDir: z.string(),
  /** Starts in a row that failed. */
  failedStarts: z.number(),
});
export type LocalBackendState = z.infer<typeof LocalBackendState>;
