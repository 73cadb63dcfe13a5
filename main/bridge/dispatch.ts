import { randomUUID } from 'node:crypto';
import {
  type CommandCall,
  type CommandName,
  type CommandResult,
  commands,
  defaultInputBytes,
} from '../../contract/bridge.ts';
import type { FieldErrors, Outcome } from '../../contract/problem.ts';
import type { Log } from '../platform/log.ts';
import { failed, problemOf } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';
import { reasonText } from '../texts/reason-text.ts';
import { weighsAtMost } from './weight.ts';

/** One handler for each command of the contract; a missing or surplus one does not compile. */
export type CommandHandlers = {
  readonly [N in CommandName]: (input: CommandCall<N>) => Promise<CommandResult<N>> | CommandResult<N>;
};

/** Who sent a message, as far as it matters. */
export interface Sender {
  /** It is the top frame of the app's own window. */
  readonly isMainFrame: boolean;
  readonly origin: string;
}

export const windowOrigin = 'app://bundle';

/**
 * The one way in from the window. Answers with data in every case: the sender is checked, the name looked up in the
 * contract, the input weighed and parsed, the result parsed as well (what the contract does not name stays here).
 */
export function createDispatch(handlers: CommandHandlers, log: Log) {
  return async (sender: Sender | null, name: unknown, input: unknown): Promise<Outcome<unknown>> => {
    if (!sender?.isMainFrame || sender.origin !== windowOrigin) {
      log.warn('a message from elsewhere was refused', { origin: sender?.origin.slice(0, 200) ?? 'gone' });
      return failed({ kind: 'bug', code: 'sender', message: t('calls.otherSender') });
    }
    if (!isCommandName(name))
      return failed({ kind: 'bug', code: 'unknownCommand', message: t('calls.noCommand') });
    const command = commands[name];
    const mostBytes = 'maxInputBytes' in command ? command.maxInputBytes : defaultInputBytes;
    if (!weighsAtMost(input, mostBytes))
      return failed({
        kind: 'refused',
        code: 'tooLarge',
        message: t('calls.tooMuch'),
      });
    const parsed = command.input.safeParse(input);
    if (!parsed.success)
      return failed({
        kind: 'refused',
        code: 'input',
        message: t('calls.correctFields'),
        errors: errorsByField(parsed.error.issues),
      });
    try {
      // Name and input belong together: both were looked up by the same name.
      const handler = handlers[name] as (input: unknown) => unknown;
      return { ok: true, value: command.result.parse((await handler(parsed.data)) ?? null) };
    } catch (error) {
      const problem = problemOf(error);
      if (problem) return failed(problem);
      const incident = randomUUID().slice(0, 8);
      log.error('a command failed', { command: name, incident, error });
      return failed({
        kind: 'bug',
        message: t('calls.bug', { incident }),
        incident,
      });
    }
  };
}

function isCommandName(name: unknown): name is CommandName {
  return typeof name === 'string' && Object.hasOwn(commands, name);
}

function errorsByField(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): FieldErrors {
  return Object.fromEntries(
    issues
      .slice(0, 50)
      .map(({ path, message }) => [path.map(String).join('.') || 'input', reasonText(message)]),
  );
}
