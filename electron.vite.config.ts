import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const root = import.meta.dirname;

/** Every `main/**` file named `*-process.ts` runs in a process of its own, so it is an entry beside the main one. */
function mainEntries(): Record<string, string> {
  const processes = globSync('main/**/*-process.ts', { cwd: root });
  const named = processes.map((path): [string, string] => [basename(path, '.ts'), join(root, path)]);
  return { index: join(root, 'main/index.ts'), ...Object.fromEntries(named) };
}

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      target: 'node20.18',
      // Needed before the window, and of a hundred files each: in one file they are there in a fraction of the time.
      externalizeDeps: { exclude: ['zod', 'i18next'] },
      sourcemap: true,
      rollupOptions: {
        input: mainEntries(),
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      target: 'node20.18',
      // A sandboxed preload can load nothing but `electron`, so it is one self-contained CommonJS file.
      externalizeDeps: false,
      rollupOptions: {
        input: join(root, 'preload/index.ts'),
        output: { format: 'cjs', entryFileNames: 'index.cjs', codeSplitting: false },
      },
    },
  },
  renderer: {
    root: 'renderer',
    plugins: [react()],
    build: {
      outDir: 'out/renderer',
      target: 'chrome130',
      sourcemap: true,
      // Half the text to read and compile at each start.
      minify: true,
      // The window's policy allows no data: fonts or scripts, so nothing is inlined into the page.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(root, 'renderer/index.html'),
        // All that the first look at the window needs is one file: left to itself, it would be asked for in twenty-five.
        output: { codeSplitting: { groups: [{ name: 'window', test: /renderer[\\/]main\.tsx$/ }] } },
      },
    },
  },
});
