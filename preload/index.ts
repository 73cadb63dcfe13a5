import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import type { Bridge, EventName, EventPayload } from '../contract/bridge.ts';

// Exactly two channels, so the page can choose none. The names stand in contract/bridge.ts as well; importing the values
// would pull the schemas into this file, and a test compares them.
const invokeChannel = 'bridge:invoke';
const eventChannel = 'bridge:event';

type Receiver = (told: EventName, payload: EventPayload<EventName>) => void;
const receivers = new Set<Receiver>();
// One listener for all: a screen has more receivers than Node takes for no leak.
ipcRenderer.on(
  eventChannel,
  (_event: IpcRendererEvent, told: EventName, payload: EventPayload<EventName>) => {
    // The event object stays here: it holds the sender.
    for (const receive of [...receivers]) receive(told, payload);
  },
);

const bridge: Bridge = {
  invoke: (name, input) => ipcRenderer.invoke(invokeChannel, name, input),
  on<N extends EventName>(name: N, listener: (payload: EventPayload<N>) => void) {
    const receive: Receiver = (told, payload) => {
      if (told === name) listener(payload as EventPayload<N>);
    };
    receivers.add(receive);
    return () => {
      receivers.delete(receive);
    };
  },
};

contextBridge.exposeInMainWorld('bridge', bridge);
