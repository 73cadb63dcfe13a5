import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { YearAnswer, YearInput, YearOrder } from './protocol.ts';

const projectDir = fileURLToPath(new URL('../../../..', import.meta.url));
const node = join(projectDir, 'node_modules/.bin/node');

/** As files of their own, like the users' build: from source each of the many starts would take twice as long. */
export async function buildYearServer(): Promise<void> {
  await promisify(execFile)(node, [join(projectDir, 'scripts/build.mjs'), 'year'], { cwd: projectDir });
}

export type YearServer = ReturnType<typeof startYearServer>;

/** The backend of `year-backend.ts` as a process of its own. */
export function startYearServer(input: YearInput, environment: Readonly<Record<string, string>>) {
  const child = fork(join(projectDir, 'out/year/year-backend.js'), [JSON.stringify(input)], {
    cwd: projectDir,
    env: { ...process.env, ...environment },
    execPath: node,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let lastWords = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-4_000);
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const answers: YearAnswer[] = [];
  let wake = (): void => undefined;
  child.on('message', (answer: YearAnswer) => {
    answers.push(answer);
    wake();
  });
  /** The next answer; null: it has ended. */
  const answer = async (): Promise<YearAnswer | null> => {
    const came = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (answers.length === 0) await Promise.race([came, ended]);
    return answers.shift() ?? null;
  };
  const expectAnswer = async <K extends YearAnswer['kind']>(
    kind: K,
  ): Promise<Extract<YearAnswer, { kind: K }>> => {
    const told = await answer();
    if (told?.kind === kind) return told as Extract<YearAnswer, { kind: K }>;
    throw new Error(
      `${JSON.stringify(told)} instead of ${kind}; the last words of the backend: ${lastWords}`,
    );
  };
  const expectEnd = async (how: number | string): Promise<void> => {
    const end = await ended;
    if (end !== how) throw new Error(`the backend ended with ${end}, not with ${how}: ${lastWords}`);
  };
  return {
    answer: expectAnswer,
    order: (order: YearOrder): void => {
      child.send(order);
    },
    /** It ends by itself, in the middle of a look. */
    dies: () => expectEnd('SIGKILL'),
    kill: (): Promise<void> => {
      child.kill('SIGKILL');
      return expectEnd('SIGKILL');
    },
    stop: (): Promise<void> => {
      child.kill('SIGTERM');
      return expectEnd(0);
    },
    /** Whatever it does. */
    end: async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
