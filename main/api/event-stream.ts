/** One server-sent event, as the standard defines it. */
export interface StreamEvent {
  readonly kind: string;
  readonly data: string;
  readonly id: string | null;
}

export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

const mostEventChars = 1024 * 1024;

/**
 * Splits a text/event-stream. Takes pieces as they come (a line, a character or half of one) and gives whole events.
 * `retryMs()` is the wait that the server asked for, if it did.
 */
export function createEventParser(onEvent: (event: StreamEvent) => void) {
  const decoder = new TextDecoder('utf-8');
  let rest = '';
  let skipLineFeed = false;
  let kind = '';
  let data: string[] = [];
  let dataChars = 0;
  let lastId: string | null = null;
  let retryMs: number | null = null;

  const field = (name: string, value: string): void => {
    if (name === 'event') kind = value;
    else if (name === 'data') {
      data.push(value);
      dataChars += value.length;
    } else if (name === 'id' && !value.includes('\0')) lastId = value;
    else if (name === 'retry' && /^\d{1,7}$/.test(value)) retryMs = Number(value);
  };

  const line = (text: string): void => {
    if (text === '') {
      if (data.length > 0)
        onEvent({ kind: kind === '' ? 'message' : kind, data: data.join('\n'), id: lastId });
      kind = '';
      data = [];
      dataChars = 0;
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return; // a comment keeps the connection alive
    if (colon < 0) field(text, '');
    else field(text.slice(0, colon), text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1));
  };

  return {
    push: (chunk: Uint8Array): void => {
      // What is left over holds no line end: only the new part is looked at.
      const seen = rest.length;
      rest += decoder.decode(chunk, { stream: true });
      let from = 0;
      for (let at = seen; at < rest.length; at++) {
        const char = rest[at];
        if (char !== '\n' && char !== '\r') {
          skipLineFeed = false;
          continue;
        }
        if (char === '\n' && skipLineFeed) {
          skipLineFeed = false;
          from = at + 1;
          continue;
        }
        skipLineFeed = char === '\r';
        line(rest.slice(from, at));
        from = at + 1;
      }
      rest = rest.slice(from);
      if (rest.length + dataChars > mostEventChars) throw new EventTooLarge('an event is larger than 1 MiB');
    },
    lastId: () => lastId,
    retryMs: () => retryMs,
  };
}
