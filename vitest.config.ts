import { defineConfig } from 'vitest/config';

// Whoever hangs ends; who is slow on a busy machine does not.
const defaults = { testTimeout: 90_000, hookTimeout: 90_000 };
const integrationMs = 180_000;
const renderer = 'test/renderer/**/*.test.{ts,tsx}';
const integration = 'test/**/*.integration.test.ts';
const notTests = ['**/node_modules/**', 'test/e2e/**'];

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          ...defaults,
          name: 'node',
          environment: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [...notTests, renderer, integration],
        },
      },
      {
        extends: true,
        // What drives real processes, disks and databases may take its time.
        test: {
          name: 'integration',
          environment: 'node',
          include: [integration],
          exclude: notTests,
          testTimeout: integrationMs,
          hookTimeout: integrationMs,
        },
      },
      {
        extends: true,
        test: {
          ...defaults,
          name: 'renderer',
          environment: 'happy-dom',
          include: [renderer],
          setupFiles: ['test/renderer/support/patience.ts'],
          exclude: notTests,
        },
      },
    ],
  },
});
