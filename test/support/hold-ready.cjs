// Loaded into Electron before the app (`-r`): `ready` is told only when Playwright has attached. Without it a page that is opened
// while Playwright attaches may begin between two of its questions, and it waits for ever for a beginning that has passed.
const { app } = require('electron');

const whenReady = app.whenReady();
const emit = app.emit.bind(app);
let told = [];
let isReady = false;
let tell = () => undefined;
const whenTold = new Promise((resolve) => {
  tell = resolve;
});

app.emit = (name, ...values) => {
  if (name !== 'ready' || isReady) return emit(name, ...values);
  told = values;
  return app.listenerCount('ready') > 0;
};
app.isReady = () => isReady;
app.whenReady = () => whenTold;

/** Called by Playwright under this very name. */
globalThis.__playwright_run = async () => {
  await whenReady;
  isReady = true;
  tell();
  emit('ready', ...told);
};
