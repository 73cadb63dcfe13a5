import type { HandlersOf } from '../../http/handler.ts';
import { createEventService, type EventService, type EventServiceDeps } from './event-service.ts';

/** The event stream, put together. `start` before anything is announced, `stop` after the last change. */
export function createEvents(deps: EventServiceDeps): {
  readonly events: EventService;
  readonly handlers: HandlersOf<'events.stream'>;
} {
  const events = createEventService(deps);
  return { events, handlers: { 'events.stream': (call) => events.serve(call) } };
}
