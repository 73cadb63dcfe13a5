import { Menu, nativeImage, Tray } from 'electron';

/** Icon in the tray: a click shows the window, its menu can quit. */
export function createTray(actions: { readonly show: () => void; readonly quit: () => void }): Tray {
  const tray = new Tray(nativeImage.createFromBuffer(iconPixels(22), { width: 22, height: 22 }));
  tray.setToolTip('Strongroom');
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: 'Show Strongroom', click: actions.show },
      { type: 'separator' },
      { label: 'Quit', click: actions.quit },
    ]),
  );
  tray.on('click', actions.show);
  return tray;
}

/** A vault door: a ring with a hub, drawn here so that no file can be missing. BGRA. */
function iconPixels(size: number): Buffer {
  const pixels = Buffer.alloc(size * size * 4);
  const middle = (size - 1) / 2;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const distance = Math.hypot(x - middle, y - middle) / middle;
      const isDrawn = distance < 0.28 || (distance > 0.7 && distance <= 1);
      if (isDrawn) pixels.set([0xe0, 0x8a, 0x3d, 0xff], (y * size + x) * 4);
    }
  }
  return pixels;
}
