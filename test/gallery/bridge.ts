import type { Page } from '@playwright/test';
import type { ApiName } from '../../contract/api.ts';
import type {
  ApiInput,
  ApiValue,
  Bridge,
  CommandInput,
  CommandName,
  CommandResult,
} from '../../contract/bridge.ts';
import type { Outcome } from '../../contract/problem.ts';

type BridgeWindow = Window & { readonly bridge: Bridge };

/** A command as the page itself gives it; what is refused is thrown. */
export async function ask<N extends CommandName>(
  page: Page,
  name: N,
  input?: CommandInput<N>,
): Promise<CommandResult<N>> {
  const outcome = (await page.evaluate(
    ([command, argument]) =>
      (window as unknown as BridgeWindow).bridge.invoke(command as 'app.info', argument as undefined),
    [name, input] as const,
  )) as Outcome<CommandResult<N>>;
  if (!outcome.ok) throw new Error(`${name}: ${JSON.stringify(outcome.problem)}`);
  return outcome.value;
}

export type Call = <N extends ApiName>(name: N, input: ApiInput<N>) => Promise<ApiValue<N>>;

/** Calls of the API of one connection, through the window as its own are. */
export function callerOf(page: Page, connectionId: string): Call {
  let count = 0;
  return async (name, input) => {
    count += 1;
    const call = { connectionId, name, input, callId: `gallery-${count}` };
    try {
      return (await ask(page, 'api.call', call)) as never;
    } catch (error) {
      throw new Error(`${name} ${JSON.stringify(input)}`, { cause: error });
    }
  };
}
