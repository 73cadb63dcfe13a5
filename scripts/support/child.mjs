import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { projectRoot } from './project.mjs';

const forwardedSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/**
 * Runs a program to its end and gives its exit code (128 + n when signal n ended it). Signals that reach this process are
 * passed on, so that stopping the command stops what it started; the answer then is still the program's own code.
 * `output: 'stderr'` sends the program's standard output to standard error.
 */
export async function runToEnd(
  program,
  args,
  { env, cwd = projectRoot, output = 'inherit', input = 'inherit' } = {},
) {
  const child = spawn(program, args, {
    cwd,
    env: env ?? process.env,
    stdio: [input, output === 'stderr' ? 2 : 'inherit', 'inherit'],
  });
  const forward = (signal) => child.kill(signal);
  for (const signal of forwardedSignals) process.on(signal, forward);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
    });
  } finally {
    for (const signal of forwardedSignals) process.off(signal, forward);
  }
}
