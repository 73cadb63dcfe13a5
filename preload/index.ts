import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import type { Bridge, EventName, EventPayload } from '../contract/bridge.ts';

// Exactly two channels, so the page can choose none. The names stand in contract/bridge.ts as well; importing the values
// would pull the schemas into this file, and a test compares them.
const invokeChannel = 'bridge:invoke';
const eventChannel = 'bridge:event';

const bridge: Bridge = {
  invoke: (name, input) => ipcRenderer.invoke(invokeChannel, name, input),
  on<N extends EventName>(name: N, listener: (payload: EventPayload<N>) => void) {
    // The event object stays here: it holds the sender.
    const receive = (_event: IpcRendererEvent, told: EventName, payload: EventPayload<N>) => {
      if (told === name) listener(payload);
    };
    ipcRenderer.on(eventChannel, receive);
    return () => {
      ipcRenderer.removeListener(eventChannel, receive);
    };
  },
};

contextBridge.exposeInMainWorld('bridge', bridge);
