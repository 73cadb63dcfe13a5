import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Id } from '../records.ts';

/** Kinds of server-sent events. `reset`: the resume point is gone, load everything again. */
export const eventKinds = ['task', 'repository', 'client', 'pool', 'library', 'configuration'] as const;
export type EventKind = (typeof eventKinds)[number];

export const eventActions = ['created', 'changed', 'removed'] as const;
export type EventAction = (typeof eventActions)[number];

/** `data` of one event; `record` is what a single GET would answer, where it is cheap to send. */
export const ServerEvent = z.object({
  action: z.string().meta({ examples: [...eventActions] }),
  id: Id.nullable(),
  record: z.record(z.string(), z.unknown()).nullable(),
});
export type ServerEvent = z.output<typeof ServerEvent>;

export const eventEndpoints = {
  'events.stream': endpoint({
    method: 'GET',
    path: '/events',
    tag: 'Extensions',
    summary: 'Changes as server-sent events; `Last-Event-ID` resumes',
    permission: null,
    result: z.unknown(),
    success: 200,
    refuses: [401],
    extension: 'events',
    stream: true,
  }),
} as const;
