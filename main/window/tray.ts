import { Menu, nativeImage, Tray } from 'electron';
import { t } from '../texts/index.ts';
import { trayPixels } from './tray-icon.ts';
import type { TrayState } from './tray-state.ts';

const size = 22;

export interface AppTray {
  readonly update: (state: TrayState) => void;
  readonly destroy: () => void;
}

/** Icon in the tray: it says how the servers are, a click shows the window, its menu leads to each server and can quit. */
export function createTray(actions: {
  readonly show: () => void;
  readonly showServer: (connectionId: string) => void;
  readonly quit: () => void;
}): AppTray {
  const iconOf = (standing: TrayState['standing']) =>
    nativeImage.createFromBuffer(trayPixels(size, standing), { width: size, height: size });
  const tray = new Tray(iconOf('unknown'));
  let shown = '';
  const update = (state: TrayState): void => {
    const next = JSON.stringify(state);
    // An open menu closes when it is replaced.
    if (next === shown) return;
    shown = next;
    tray.setImage(iconOf(state.standing));
    tray.setToolTip(`Strongroom: ${state.summary}`);
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: state.summary, enabled: false },
        ...state.servers.map(({ connectionId, line }) => ({
          // A single & would make the next letter a shortcut.
          label: line.replaceAll('&', '&&'),
          click: () => actions.showServer(connectionId),
        })),
        { type: 'separator' },
        { label: t('tray.show'), click: actions.show },
        { label: t('tray.quit'), click: actions.quit },
      ]),
    );
  };
  tray.on('click', actions.show);
  return { update, destroy: () => tray.destroy() };
}
