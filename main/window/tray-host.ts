import { execFile } from 'node:child_process';

const limitMs = 1_500;

/**
 * True when something on the desktop shows tray icons. Windows and macOS always do; on Linux a service of the session
 * bus says so, and a desktop without it (plain GNOME) would hide the app where nobody finds it again.
 */
export async function hasTrayHost(platform: NodeJS.Platform = process.platform): Promise<boolean> {
  if (platform === 'win32' || platform === 'darwin') return true;
  const address = 'org.freedesktop.DBus';
  const args = [
    '--session',
    `--dest=${address}`,
    '--print-reply=literal',
    '--reply-timeout=1000',
    '/',
    `${address}.NameHasOwner`,
  ];
  return new Promise((resolve) => {
    execFile(
      'dbus-send',
      [...args, 'string:org.kde.StatusNotifierWatcher'],
      { timeout: limitMs },
      (error, output) => {
        // No such program and no bus mean the same here: nothing is known to show an icon.
        resolve(error === null && /boolean true/.test(output));
      },
    );
  });
}
