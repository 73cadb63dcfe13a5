import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { EventPayload } from '../../contract/bridge.ts';

type Action = EventPayload<'action'>['action'];

/** The application's menu. What belongs to the page is told to the page. */
export function setAppMenu(options: {
  readonly act: (action: Action) => void;
  readonly quit: () => void;
}): void {
  const item = (label: string, action: Action, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => options.act(action),
    // The page handles its own shortcuts; here they are only shown.
    ...(accelerator ? { accelerator, registerAccelerator: false } : {}),
  });
  const template: MenuItemConstructorOptions[] = [
    {
      label: '&File',
      submenu: [
        item('New backup…', 'newBackup'),
        item('Add connection…', 'addConnection'),
        item('Import connections…', 'importConnections'),
        item('Export connections…', 'exportConnections'),
        item('Open support bundle…', 'openBundle'),
        { type: 'separator' },
        item('Preferences…', 'preferences', 'CmdOrCtrl+,'),
        { type: 'separator' },
        { label: 'Quit', accelerator: 'CmdOrCtrl+Q', click: options.quit },
      ],
    },
    { label: '&Edit', role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        item('Go to anything…', 'palette', 'CmdOrCtrl+K'),
        item('Search the list', 'search', '/'),
        item('Back', 'back', 'Alt+Left'),
        item('Forward', 'forward', 'Alt+Right'),
        item('Load again', 'reload', 'F5'),
        { type: 'separator' },
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
      ],
    },
    { label: '&Help', submenu: [item('Keyboard', 'keyboardSheet', '?'), item('About Strongroom', 'about')] },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
