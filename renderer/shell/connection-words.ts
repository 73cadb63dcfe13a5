import type { Connection } from '../../contract/desktop/connection.ts';
import { textsOf } from '../texts/index.ts';
import type { Meaning } from '../ui/index.ts';

const words = textsOf('status').connections;

const meanings = {
  connecting: 'idle',
  connected: 'ok',
  signIn: 'warning',
  unreachable: 'error',
  certificate: 'warning',
  stopped: 'idle',
} as const satisfies Record<Connection['state']['phase'], Meaning>;

export function connectionWord(connection: Connection): { readonly word: string; readonly meaning: Meaning } {
  if (connection.kind === 'recorded') return { word: words.recording, meaning: 'idle' };
  const { phase } = connection.state;
  return { word: words[phase], meaning: meanings[phase] };
}
