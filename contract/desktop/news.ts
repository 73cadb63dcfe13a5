import { z } from 'zod';
import { ConnectionId } from './connection.ts';
import { desktopNoticeKinds } from './settings.ts';

/** Where the window explains something: an object of a section, or a list narrowed by a status. */
export const NewsPlace = z.object({
  connectionId: ConnectionId,
  section: z.string(),
  id: z.number().nullable(),
  /** Status by which the list is narrowed, so that the row is on the screen. */
  status: z.string().nullable(),
});
export type NewsPlace = z.infer<typeof NewsPlace>;

/** Something new on a server that a person should hear of; kept for this run of the app. */
export const NewsItem = z.object({
  /** Grows with each one, also over a reload of the window. */
  number: z.number(),
  /** Epoch milliseconds. */
  at: z.number(),
  kind: z.enum(desktopNoticeKinds),
  title: z.string(),
  body: z.string(),
  place: NewsPlace,
});
export type NewsItem = z.infer<typeof NewsItem>;
