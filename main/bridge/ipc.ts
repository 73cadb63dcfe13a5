import { ipcMain, type WebContents, type WebFrameMain } from 'electron';
import {
  type EventName,
  type EventPayload,
  eventChannel,
  events,
  invokeChannel,
} from '../../contract/bridge.ts';
import type { Log } from '../platform/log.ts';
import type { createDispatch, Sender } from './dispatch.ts';

/** Electron's end of the two channels. */
export function listenToWindow(dispatch: ReturnType<typeof createDispatch>): void {
  ipcMain.handle(invokeChannel, (event, name: unknown, input: unknown) =>
    dispatch(senderOf(event.sender, event.senderFrame), name, input),
  );
}

function senderOf(contents: WebContents, frame: WebFrameMain | null): Sender | null {
  // Null when the frame went away meanwhile.
  if (!frame || contents.isDestroyed()) return null;
  return { isMainFrame: frame === contents.mainFrame, origin: frame.origin };
}

/** False: there is nobody to hear it. */
export type TellWindow = <N extends EventName>(name: N, payload: EventPayload<N>) => boolean;

/** What the window is told goes through the contract too: a field that it does not name stays here. */
export function createTellWindow(contents: () => WebContents | null, log: Log): TellWindow {
  return (name, payload) => {
    const target = contents();
    if (!target || target.isDestroyed() || target.isCrashed()) return false;
    const parsed = events[name].safeParse(payload);
    if (parsed.success) target.send(eventChannel, name, parsed.data);
    else log.error('an event has another form than the contract', { event: name });
    return parsed.success;
  };
}
