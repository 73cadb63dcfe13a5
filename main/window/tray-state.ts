import type { Connection } from '../../contract/desktop/connection.ts';
import type { ServerHealth } from '../../contract/desktop/fleet.ts';
import { type ServerStanding, standingOf, troubleCount } from '../../contract/desktop/health.ts';
import { plainText } from '../platform/plain-text.ts';

export interface TrayState {
  readonly standing: ServerStanding;
  /** One line for the tooltip and the head of the menu. */
  readonly summary: string;
  readonly servers: readonly { readonly connectionId: string; readonly line: string }[];
}

const worstFirst: readonly ServerStanding[] = ['lost', 'look', 'unknown', 'well'];
const mostServers = 20;

/** What the icon in the tray says of all servers: the worst of them, and each in a line. */
export function trayStateOf(connections: readonly Connection[], fleet: readonly ServerHealth[]): TrayState {
  const healthOf = (id: string) => fleet.find(({ connectionId }) => connectionId === id);
  const seen = connections.map((connection) => {
    const health = healthOf(connection.id);
    return { connection, health, standing: standingOf(connection.state, health) };
  });
  const standing = worstFirst.find((one) => seen.some((server) => server.standing === one)) ?? 'unknown';
  const running = seen.reduce((sum, { health, standing: own }) => {
    return sum + (own === 'lost' ? 0 : (health?.facts?.running ?? 0));
  }, 0);
  return {
    standing,
    summary: [summaryOf(standing, seen.length), running > 0 ? `${running} running` : '']
      .filter(Boolean)
      .join(', '),
    servers: seen.slice(0, mostServers).map(({ connection, health, standing: own }) => ({
      connectionId: connection.id,
      line: `${plainText(connection.name, 60)}: ${lineOf(connection, health, own)}`,
    })),
  };
}

function summaryOf(standing: ServerStanding, servers: number): string {
  if (servers === 0) return 'no connection yet';
  if (standing === 'well') return 'all is well';
  if (standing === 'unknown') return 'not everything is known yet';
  return standing === 'lost' ? 'a server is lost' : 'something needs a look';
}

const phaseWords: Readonly<Record<Connection['state']['phase'], string>> = {
  connecting: 'connecting',
  connected: 'connected',
  signIn: 'needs sign-in',
  unreachable: 'not reachable',
  certificate: 'certificate to be checked',
  stopped: 'stopped',
};

function lineOf(connection: Connection, health: ServerHealth | undefined, standing: ServerStanding): string {
  if (connection.state.phase !== 'connected') return phaseWords[connection.state.phase];
  if (standing === 'lost') return 'does not answer';
  if (!health?.facts) return 'connected';
  const count = troubleCount(health);
  const parts = [
    count === 0 ? 'well' : `${count} to look at`,
    (health.facts.running ?? 0) > 0 ? `${health.facts.running} running` : '',
  ];
  return parts.filter(Boolean).join(', ');
}
