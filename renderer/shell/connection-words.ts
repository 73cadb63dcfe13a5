import type { Connection } from '../../contract/desktop/connection.ts';
import type { Meaning } from '../ui/index.ts';

const words = {
  connecting: ['connecting', 'idle'],
  connected: ['connected', 'ok'],
  signIn: ['needs sign-in', 'warning'],
  unreachable: ['not reachable', 'error'],
  certificate: ['certificate to be checked', 'warning'],
  stopped: ['stopped', 'idle'],
} as const satisfies Record<Connection['state']['phase'], readonly [string, Meaning]>;

export function connectionWord(connection: Connection): { readonly word: string; readonly meaning: Meaning } {
  if (connection.kind === 'recorded') return { word: 'recording', meaning: 'idle' };
  const [word, meaning] = words[connection.state.phase];
  return { word, meaning };
}
