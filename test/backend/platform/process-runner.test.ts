import { describe, expect, it } from 'vitest';
import { runProcess } from '../../../backend/platform/process-runner.ts';

const run = (
  program: string,
  args: readonly string[],
  more: Partial<Parameters<typeof runProcess>[0]> = {},
) => runProcess({ program, args, expected: [0], timeoutMs: 60_000, ...more });

describe('a program that is run', () => {
  it('gets its arguments as they are, no shell between', async () => {
    const hostile = `$(id); "x" 'y' \`z\` | & > /tmp/x *`;
    expect((await run('printf', ['%s', hostile])).stdout).toBe(hostile);
  });

  it('sees none of our variables and no input', async () => {
    process.env.STRONGROOM_TEST_SECRET = 'hidden';
    try {
      expect((await run('env', [])).stdout).not.toContain('hidden');
      expect((await run('cat', [])).stdout).toBe('');
    } finally {
      delete process.env.STRONGROOM_TEST_SECRET;
    }
  });

  it('answers the exit codes that are expected and fails with any other', async () => {
    expect((await run('sh', ['-c', 'exit 2'], { expected: [0, 2] })).code).toBe(2);
    await expect(run('sh', ['-c', 'echo why >&2; exit 3'])).rejects.toMatchObject({
      reason: 'failed',
      code: 3,
      message: expect.stringContaining('why'),
    });
  });

  it('that is missing, takes too long or is given up is told apart', async () => {
    await expect(run('there-is-no-such-program', [])).rejects.toMatchObject({ reason: 'missing' });
    await expect(run('sleep', ['600'], { timeoutMs: 20 })).rejects.toMatchObject({ reason: 'timeout' });
    const giveUp = new AbortController();
    const pending = run('sleep', ['600'], { signal: giveUp.signal });
    giveUp.abort();
    await expect(pending).rejects.toMatchObject({ reason: 'cancelled' });
  });
});
