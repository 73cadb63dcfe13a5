import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { projectRoot } from './electron.ts';

const mainCode = `const { app, BrowserWindow } = require('electron');
const { join } = require('node:path');
app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 880, webPreferences: { contextIsolation: true, sandbox: true } });
  window.loadFile(join(__dirname, 'page.html'));
});
app.on('window-all-closed', () => app.quit());
`;
const pageCode = `import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
createRoot(document.getElementById('root')).render(createElement('button', { type: 'button' }, 'Ready'));
`;

/** The least that an Electron window with React can be: one button. Answers its folder. */
export async function makeBareApp(work: string): Promise<string> {
  const folder = join(work, 'bare');
  await mkdir(folder, { recursive: true });
  await build({
    stdin: { contents: pageCode, resolveDir: projectRoot, loader: 'js' },
    outfile: join(folder, 'page.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  await Promise.all([
    writeFile(join(folder, 'main.cjs'), mainCode),
    writeFile(join(folder, 'package.json'), '{"name":"bare","main":"main.cjs"}'),
    writeFile(
      join(folder, 'page.html'),
      '<!doctype html><meta charset="utf-8"><title>bare</title><div id="root"></div><script src="page.js"></script>',
    ),
  ]);
  return folder;
}
