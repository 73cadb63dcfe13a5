import { app, type Session, session, type WebContents } from 'electron';
import { windowOrigin } from '../bridge/dispatch.ts';
import type { Log } from '../platform/log.ts';

/** Nothing but the app's own page is loaded, by no one, whatever asks for it. */
export function guardSession(target: Session, log: Log): void {
  target.setPermissionRequestHandler((_contents, permission, answer) => {
    log.warn('a permission was refused', { permission });
    answer(false);
  });
  target.setPermissionCheckHandler(() => false);
  target.setDevicePermissionHandler(() => false);
  target.webRequest.onBeforeRequest((details, answer) => {
    const isOwn = details.url.startsWith(`${windowOrigin}/`) || details.url.startsWith('devtools://');
    if (!isOwn) log.warn('a request of the page was refused', { url: details.url.slice(0, 200) });
    answer({ cancel: !isOwn });
  });
  target.on('will-download', (event) => event.preventDefault());
}

/** Holds for every page that ever comes to be, so none can be forgotten. */
export function guardAllContents(log: Log): void {
  app.on('web-contents-created', (_event, contents) => guardContents(contents, log));
  app.on('session-created', (created) => {
    if (created !== session.defaultSession) guardSession(created, log);
  });
}

function guardContents(contents: WebContents, log: Log): void {
  const refuse = (
    event: { readonly preventDefault: () => void; readonly url?: string },
    url?: string,
  ): void => {
    event.preventDefault();
    log.warn('the page may not go elsewhere', { url: (event.url ?? url ?? '').slice(0, 200) });
  };
  contents.on('will-navigate', (event) => refuse(event));
  contents.on('will-frame-navigate', (event) => refuse(event));
  contents.on('will-redirect', (event) => refuse(event));
  contents.on('will-attach-webview', (event) => refuse(event));
  contents.setWindowOpenHandler(({ url }) => {
    log.warn('the page may not open windows', { url: url.slice(0, 200) });
    return { action: 'deny' };
  });
}
