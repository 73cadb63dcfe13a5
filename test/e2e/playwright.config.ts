import { join } from 'node:path';
import { defineConfig } from '@playwright/test';

const artifacts = join(import.meta.dirname, '..', '..', 'artifacts');

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: join(artifacts, 'e2e'),
  // One window at a time: two cores, and each test has a backend of its own beside it.
  workers: 1,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: [['list'], ['json', { outputFile: join(artifacts, 'e2e.json') }]],
});
