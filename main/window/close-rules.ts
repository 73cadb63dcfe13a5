import { t } from '../texts/index.ts';

/** What closing the window means. `ask`: keep it in the background or quit, the person decides. */
export type CloseOutcome = 'quit' | 'hide' | 'ask';

export interface CloseFacts {
  /** Names of tasks that run on this computer and would be stopped by quitting. */
  readonly runningTasks: readonly string[];
  /** Something on the desktop can show the window again. */
  readonly hasTray: boolean;
  readonly closeWithoutTray: 'ask' | 'background' | 'quit';
}

/** Closing never stops work silently, and never hides the window where nobody could find it again. */
export function onWindowClose({ runningTasks, hasTray, closeWithoutTray }: CloseFacts): CloseOutcome {
  if (runningTasks.length === 0) return 'quit';
  if (hasTray || closeWithoutTray === 'background') return 'hide';
  // Even where quitting is the habit, running work is named first.
  return 'ask';
}

const mostNamed = 5;

/** The question before quitting, or null when nothing runs. */
export function quitQuestion(
  runningTasks: readonly string[],
): { readonly message: string; readonly detail: string } | null {
  if (runningTasks.length === 0) return null;
  const named = runningTasks.slice(0, mostNamed).map((name) => `• ${name}`);
  const more = runningTasks.length - named.length;
  return {
    message: t('quit.question', { count: runningTasks.length }),
    detail: [...named, ...(more > 0 ? [t('quit.more', { rest: more })] : []), '', t('quit.theyStop')].join(
      '\n',
    ),
  };
}
