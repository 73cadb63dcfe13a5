import type { Settings } from '../../contract/desktop/settings.ts';
import type { Connections } from '../connections/connections.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { createFleetNews, type News } from '../fleet/fleet-news.ts';

/** What is new on the servers: all of it is kept for the window, and the desktop tells what a person wants to hear of. */
export function tellDesktop(deps: {
  readonly connections: Pick<Connections, 'list' | 'onList' | 'onState'>;
  readonly fleet: Pick<Fleet, 'onChange'>;
  readonly settings: () => Pick<Settings, 'desktopNotices'>;
  readonly keep: (news: News) => void;
  readonly show: (news: News) => void;
  readonly now?: () => number;
}): void {
  const { connections, fleet } = deps;
  const fleetNews = createFleetNews(deps.now);
  const find = (id: string) => connections.list().find((one) => one.id === id);
  const tell = (all: readonly News[]): void => {
    const wanted = deps.settings().desktopNotices;
    for (const news of all) {
      deps.keep(news);
      if (wanted[news.kind]) deps.show(news);
    }
  };
  fleet.onChange((health) => {
    const connection = find(health.connectionId);
    if (connection) tell(fleetNews.ofHealth(connection, health));
  });
  connections.onState(({ connectionId }) => {
    const connection = find(connectionId);
    if (connection) tell(fleetNews.ofState(connection));
  });
  connections.onList((list) => {
    fleetNews.forget(list.map(({ id }) => id));
    // Added connections are connected before they are in the list.
    for (const connection of list) tell(fleetNews.ofState(connection));
  });
}
