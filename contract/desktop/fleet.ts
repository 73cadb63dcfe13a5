import { z } from 'zod';
import { ConnectionId } from './connection.ts';

/** Something of a server that needs a person, with what is needed to name it and to go there. */
export const FailedTask = z.object({
  id: z.number(),
  taskType: z.string(),
  resource: z.string(),
  status: z.string(),
  /** As the server wrote it: its local time, no zone. */
  finished: z.string().nullable(),
  reason: z.string(),
  /** Its strategy wants users of other roles told of it: it is shown, and no news for this account. */
  isForOthers: z.boolean(),
});
export type FailedTask = z.infer<typeof FailedTask>;

export const OverdueRun = z.object({
  ruleId: z.number(),
  taskId: z.number().nullable(),
  client: z.string(),
  resource: z.string(),
  strategy: z.string(),
  /** Local time of the server, no zone. */
  due: z.string(),
  reason: z.string(),
  /** As for a failed task. */
  isForOthers: z.boolean(),
});
export type OverdueRun = z.infer<typeof OverdueRun>;

export const NearlyFullPool = z.object({
  id: z.number(),
  name: z.string(),
  freeBytes: z.number(),
  totalBytes: z.number(),
});
export type NearlyFullPool = z.infer<typeof NearlyFullPool>;

/** The most failed tasks and overdue runs of one server that are named; the counts count all that were found. */
export const mostNamed = 50;

/** A part is null where the account has no right to it, or where the server does not know it. */
export const ServerFacts = z.object({
  /** Tasks that are being worked on; those that wait are not counted. */
  running: z.number().nullable(),
  /** Ended badly in the last day, newest first. `isMore`: more than could be looked at. */
  failed: z.object({ count: z.number(), isMore: z.boolean(), tasks: z.array(FailedTask) }).nullable(),
  overdue: z.object({ count: z.number(), runs: z.array(OverdueRun) }).nullable(),
  nearlyFull: z.array(NearlyFullPool).nullable(),
});
export type ServerFacts = z.infer<typeof ServerFacts>;

/** What is known of one server. Facts outlive the server's silence; `answeredAt` tells how old they are. */
export const ServerHealth = z.object({
  connectionId: ConnectionId,
  facts: ServerFacts.nullable(),
  /** Epoch ms of the last whole answer; null before the first one. */
  answeredAt: z.number().nullable(),
  /** Why the last look failed, since when they fail, and when the next one is (epoch ms). */
  problem: z.object({ message: z.string(), since: z.number(), retryAt: z.number() }).nullable(),
});
export type ServerHealth = z.infer<typeof ServerHealth>;
