import type { Connection } from '../../contract/desktop/connection.ts';
import type { ServerHealth } from '../../contract/desktop/fleet.ts';
import { type ServerStanding, standingOf, troubleCount } from '../../contract/desktop/health.ts';
import { plainText } from '../platform/plain-text.ts';
import { t } from '../texts/index.ts';

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
    summary: [summaryOf(standing, seen.length), running > 0 ? t('tray.running', { running }) : '']
      .filter(Boolean)
      .join(', '),
    servers: seen.slice(0, mostServers).map(({ connection, health, standing: own }) => ({
      connectionId: connection.id,
      line: t('tray.line', {
        name: plainText(connection.name, 60),
        state: lineOf(connection, health, own),
      }),
    })),
  };
}

function summaryOf(standing: ServerStanding, servers: number): string {
  if (servers === 0) return t('tray.noConnection');
  if (standing === 'well') return t('tray.well');
  if (standing === 'unknown') return t('tray.unknown');
  return standing === 'lost' ? t('tray.lost') : t('tray.look');
}

function lineOf(connection: Connection, health: ServerHealth | undefined, standing: ServerStanding): string {
  if (connection.state.phase !== 'connected') return t(`tray.phases.${connection.state.phase}`);
  if (standing === 'lost') return t('tray.noAnswer');
  if (!health?.facts) return t('tray.phases.connected');
  const count = troubleCount(health);
  const running = health.facts.running ?? 0;
  const parts = [
    count === 0 ? t('tray.serverWell') : t('tray.troubles', { count }),
    running > 0 ? t('tray.running', { running }) : '',
  ];
  return parts.filter(Boolean).join(', ');
}
