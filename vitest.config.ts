import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Whoever hangs ends; who is slow on a busy machine does not.
const defaults = { testTimeout: 90_000, hookTimeout: 90_000 };
const integrationMs = 180_000;
const renderer = 'test/renderer/**/*.test.{ts,tsx}';
const integration = 'test/**/*.integration.test.ts';
const notTests = ['**/node_modules/**', 'test/e2e/**'];

export default defineConfig({
  resolve: {
    alias: [
      // The worker threads as they are built, which scripts/test/built-backend.mjs sees to: they start in an eighth of the time.
      {
        find: /^(\.\.?\/)+(platform\/)?worker-url\.ts$/,
        replacement: join(import.meta.dirname, 'test/support/built-worker-url.ts'),
      },
    ],
  },
  test: {
    pool: 'forks',
    globalSetup: ['scripts/test/built-backend.mjs', 'test/support/new-catalogue.ts'],
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
          setupFiles: [
            'test/renderer/support/patience.ts',
            'test/renderer/support/rest.ts',
            'test/renderer/support/ended.ts',
          ],
          exclude: notTests,
        },
      },
    ],
  },
});
