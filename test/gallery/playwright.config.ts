import { join } from 'node:path';
import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  testMatch: 'gallery.spec.ts',
  outputDir: join(import.meta.dirname, '..', '..', 'artifacts', 'gallery'),
  workers: 1,
  retries: 0,
  timeout: 20 * 60_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
});
