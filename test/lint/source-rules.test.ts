import { expect, test } from 'vitest';
import { parseSource } from '../../lint/source-file.ts';
import { checkSource } from '../../lint/source-rules.ts';

const allowed: readonly (readonly [string, string])[] = [
  ['main/bridge/dispatch.ts', `import { ipcMain } from 'electron'; ipcMain.handle('a', run);`],
  ['preload/index.ts', `import { ipcRenderer } from 'electron';`],
  ['backend/engine/read.ts', `import { readSync } from 'node:fs';`],
  ['backend/features/a/copy-worker.ts', `import fs from 'node:fs'; fs.readSync(1);`],
  ['main/index.ts', `import { readFileSync } from 'node:fs';`],
  ['main/profiles/file.ts', `import { readFile } from 'node:fs/promises';`],
  ['backend/features/pools/pool-store.ts', 'const rows = sql`SELECT id FROM pools`;'],
  ['backend/db/migrations/0001-first.ts', `run('CREATE TABLE pools (id INTEGER)');`],
  ['renderer/features/pools/a.tsx', `const label = 'Select a pool from the list';`],
  ['renderer/features/pools/a.tsx', `const text = \`Update \${name} settings\`;`],
  ['backend/features/directory/a.ts', `search(base, { filter: is('cn', name) });`],
  ['test/renderer/a.test.ts', `const page = { dangerouslySetInnerHTML: 1 };`],
];

const refused: readonly (readonly [string, string, string])[] = [
  ['main/window/menu.ts', `import { ipcMain } from 'electron';`, 'ipcMain belongs to'],
  [
    'main/window/menu.ts',
    `import * as electron from 'electron'; electron.ipcMain.on('a', run);`,
    'ipcMain belongs to',
  ],
  ['renderer/app.tsx', `window.ipcRenderer.send('a');`, 'ipcRenderer belongs to'],
  ['main/profiles/file.ts', `import { readFileSync } from 'node:fs';`, 'readFileSync stops'],
  ['backend/features/a/a-service.ts', `import fs from 'node:fs'; fs.existsSync(path);`, 'existsSync stops'],
  [
    'renderer/a.tsx',
    `export const A = () => <p dangerouslySetInnerHTML={{ __html: name }} />;`,
    'are hostile',
  ],
  ['renderer/a.tsx', `createElement('p', { dangerouslySetInnerHTML: { __html: name } });`, 'are hostile'],
  ['backend/features/pools/pool-service.ts', 'const rows = sql`anything`;', 'SQL belongs'],
  ['backend/features/pools/pool-service.ts', `run('select id from pools');`, 'SQL belongs'],
  ['backend/features/directory/a.ts', `search(base, { filter: \`(cn=\${name})\` });`, 'change the question'],
  ['backend/http/mount.ts', `run(\`DELETE FROM \${table} WHERE id = 1\`);`, 'SQL belongs'],
];

test.each(allowed)('%s may say %s', (path, text) => {
  expect(checkSource(parseSource(path, text))).toEqual([]);
});

test.each(refused)('%s may not say %s', (path, text, words) => {
  expect(checkSource(parseSource(path, text))).toEqual([
    { path, line: 1, message: expect.stringContaining(words) },
  ]);
});
