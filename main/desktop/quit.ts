import { app, type BrowserWindow, dialog } from 'electron';
import { t } from '../texts/index.ts';
import { onWindowClose, quitQuestion } from '../window/close-rules.ts';

export interface QuitDeps {
  readonly window: () => BrowserWindow | null;
  readonly runningTasks: () => Promise<readonly string[]>;
  readonly hasTray: () => boolean;
  readonly closeWithoutTray: () => 'ask' | 'background' | 'quit';
  /** Ends everything that main started; called once, before the process goes. */
  readonly shutDown: () => Promise<void>;
}

/** Electron asks to quit from many sides (menu, tray, window, session end, signals); all go through here once. */
export function createQuit(deps: QuitDeps) {
  let asking: Promise<boolean> | null = null;
  let leaving = false;

  /** Without any further question. */
  const leave = (): void => {
    if (leaving) return;
    leaving = true;
    // Whatever hangs, the process goes; the bundled backend dies with it.
    const limit = setTimeout(() => app.exit(0), 20_000);
    deps.window()?.hide();
    void deps.shutDown().finally(() => {
      clearTimeout(limit);
      app.exit(0);
    });
  };

  const ask = async (): Promise<boolean> => {
    const question = quitQuestion(await deps.runningTasks());
    if (question) {
      const { response } = await showMessage({
        ...question,
        type: 'warning',
        buttons: [t('quit.quit'), t('quit.cancel')],
        defaultId: 1,
        cancelId: 1,
      });
      if (response !== 0) return false;
    }
    leave();
    return true;
  };

  const quit = (): Promise<boolean> => {
    if (leaving) return Promise.resolve(true);
    asking ??= ask().finally(() => {
      asking = null;
    });
    return asking;
  };

  const showMessage = (options: Electron.MessageBoxOptions): Promise<Electron.MessageBoxReturnValue> => {
    const window = deps.window();
    return window?.isVisible() ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options);
  };

  const closeWindow = async (): Promise<void> => {
    const outcome = onWindowClose({
      runningTasks: await deps.runningTasks(),
      hasTray: deps.hasTray(),
      closeWithoutTray: deps.closeWithoutTray(),
    });
    if (outcome === 'quit') leave();
    else if (outcome === 'hide') deps.window()?.hide();
    else await askWhereTo();
  };

  const askWhereTo = async (): Promise<void> => {
    const { response } = await showMessage({
      type: 'question',
      message: t('quit.tasksRun'),
      detail: t('quit.goesOn'),
      buttons: [t('quit.background'), t('quit.quit'), t('quit.cancel')],
      defaultId: 0,
      cancelId: 2,
    });
    if (response === 0) deps.window()?.hide();
    if (response === 1) await quit();
  };

  let closing = false;
  return {
    quit,
    leave,
    /** True from when nothing new may be begun. */
    isLeaving: (): boolean => leaving,
    onWindowClose: (event: { readonly preventDefault: () => void }): void => {
      if (leaving) return;
      event.preventDefault();
      if (closing) return;
      closing = true;
      void closeWindow().finally(() => {
        closing = false;
      });
    },
    onBeforeQuit: (event: { readonly preventDefault: () => void }): void => {
      if (leaving) return;
      event.preventDefault();
      void quit();
    },
  };
}
