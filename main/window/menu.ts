import { Menu, type MenuItemConstructorOptions } from 'electron';
import type { EventPayload } from '../../contract/bridge.ts';
import { t } from '../texts/index.ts';

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
      label: t('menu.file'),
      submenu: [
        item(t('menu.newBackup'), 'newBackup'),
        item(t('menu.addConnection'), 'addConnection'),
        item(t('menu.importConnections'), 'importConnections'),
        item(t('menu.exportConnections'), 'exportConnections'),
        item(t('menu.openBundle'), 'openBundle'),
        { type: 'separator' },
        item(t('menu.preferences'), 'preferences', 'CmdOrCtrl+,'),
        { type: 'separator' },
        { label: t('menu.quit'), accelerator: 'CmdOrCtrl+Q', click: options.quit },
      ],
    },
    {
      label: t('menu.edit'),
      submenu: [
        { label: t('menu.undo'), role: 'undo' },
        { label: t('menu.redo'), role: 'redo' },
        { type: 'separator' },
        { label: t('menu.cut'), role: 'cut' },
        { label: t('menu.copy'), role: 'copy' },
        { label: t('menu.paste'), role: 'paste' },
        { label: t('menu.delete'), role: 'delete' },
        { type: 'separator' },
        { label: t('menu.selectAll'), role: 'selectAll' },
      ],
    },
    {
      label: t('menu.view'),
      submenu: [
        item(t('menu.palette'), 'palette', 'CmdOrCtrl+K'),
        item(t('menu.search'), 'search', '/'),
        item(t('menu.back'), 'back', 'Alt+Left'),
        item(t('menu.forward'), 'forward', 'Alt+Right'),
        item(t('menu.reload'), 'reload', 'F5'),
        { type: 'separator' },
        { label: t('menu.actualSize'), role: 'resetZoom' },
        { label: t('menu.zoomIn'), role: 'zoomIn' },
        { label: t('menu.zoomOut'), role: 'zoomOut' },
        { label: t('menu.fullScreen'), role: 'togglefullscreen' },
      ],
    },
    {
      label: t('menu.help'),
      submenu: [item(t('menu.keyboard'), 'keyboardSheet', '?'), item(t('menu.about'), 'about')],
    },
  ];
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}
