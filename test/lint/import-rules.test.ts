import { expect, test } from 'vitest';
import { checkImports } from '../../lint/import-rules.ts';
import { parseSource } from '../../lint/source-file.ts';

const declared = { dependencies: new Set(['zod', 'fastify', 'kysely', 'keytar', 'koffi']) };

const allowed: readonly (readonly [string, string])[] = [
  ['contract/pools/pool.ts', `import { z } from 'zod';`],
  ['contract/pools/pool.ts', `import { page } from '../paging.ts';`],
  ['preload/index.ts', `import type { Bridge } from '../contract/bridge.ts';`],
  ['main/secrets/secret-store.ts', `import keytar from 'keytar';`],
  ['main/index.ts', `import { join } from 'node:path';`],
  ['renderer/features/pools/pool-row.tsx', `import { Row } from '../../ui/index.ts';`],
  ['renderer/app.tsx', `import './app.css';`],
  ['backend/app.ts', `import { openEngine } from './engine/index.ts';`],
  ['backend/engine/archive/read.ts', `import { hash } from '../hash.ts';`],
  ['backend/engine/archive/read.ts', `import { files } from '../../platform/files.ts';`],
  ['backend/features/pools/pool-handlers.ts', `import { createPoolService } from './pool-service.ts';`],
  ['backend/features/pools/pool-handlers.ts', `import type { Pool } from './pool-store.ts';`],
  ['backend/features/pools/pool-service.ts', `import { clients } from '../clients/client-service.ts';`],
  ['test/backend/engine/read.test.ts', `import { read } from '../../../backend/engine/archive/read.ts';`],
];

const refused: readonly (readonly [string, string, string])[] = [
  ['contract/pools/pool.ts', `import { readFile } from 'node:fs/promises';`, 'runs without Node'],
  ['contract/pools/pool.ts', `import { build } from '../../backend/app.ts';`, 'may not import backend'],
  ['preload/index.ts', `import { commands } from '../contract/bridge.ts';`, 'only types of contract'],
  ['main/api/client.ts', `import { build } from '../../backend/app.ts';`, 'main may not import backend'],
  ['main/api/client.ts', `import fastify from 'fastify';`, 'may not import the package fastify'],
  ['renderer/app.tsx', `import { ipcRenderer } from 'electron';`, 'may not import the package electron'],
  ['renderer/app.tsx', `import { join } from 'node:path';`, 'runs without Node'],
  ['renderer/app.tsx', `import { Dialog } from './ui/dialog.tsx';`, 'renderer/ui is sealed'],
  [
    'renderer/ui/table.tsx',
    `import { pools } from '../features/pools/pools-store.ts';`,
    'may not import renderer/features',
  ],
  ['renderer/features/pools/a.tsx', `import { b } from '../tasks/b.tsx';`, 'only by id and navigation'],
  ['backend/app.ts', `import { app } from 'electron';`, 'may not import the package electron'],
  ['backend/app.ts', `import left from 'left-pad';`, 'is not in "dependencies"'],
  ['backend/app.ts', `import { read } from './engine/archive/read.ts';`, 'backend/engine is sealed'],
  ['backend/app.ts', `export * from './engine/archive/read.ts';`, 'backend/engine is sealed'],
  ['backend/app.ts', `const read = await import('./engine/archive/read.ts');`, 'backend/engine is sealed'],
  ['backend/app.ts', `import { thing } from './platform/thing';`, 'write the extension'],
  [
    'backend/app.ts',
    `import { aPool } from '../test/support/builders.ts';`,
    'nothing of the product imports',
  ],
  [
    'backend/engine/a.ts',
    `import { api } from '../../contract/api.ts';`,
    'backend/engine may not import contract',
  ],
  [
    'backend/engine/a.ts',
    `import { database } from '../db/index.ts';`,
    'backend/engine may not import backend/db',
  ],
  ['backend/engine/a.ts', `import { sql } from 'kysely';`, 'may not import the package kysely'],
  [
    'backend/jobs/a.ts',
    `import { engine } from '../engine/index.ts';`,
    'backend/jobs may not import backend/engine',
  ],
  [
    'backend/features/pools/pool-handlers.ts',
    `import { list } from './pool-store.ts';`,
    'does not import a store',
  ],
  [
    'backend/features/pools/pool-store.ts',
    `import { go } from './pool-service.ts';`,
    'does not import a service',
  ],
  [
    'backend/features/pools/pool-rules.ts',
    `import { list } from './pool-store.ts';`,
    'does not import a store',
  ],
  [
    'backend/features/pools/pool-service.ts',
    `import { a } from '../clients/client-store.ts';`,
    'only through its',
  ],
];

test.each(allowed)('%s may say %s', (path, text) => {
  expect(checkImports(parseSource(path, text), declared)).toEqual([]);
});

test.each(refused)('%s may not say %s', (path, text, words) => {
  expect(checkImports(parseSource(path, text), declared)).toEqual([
    { path, line: 1, message: expect.stringContaining(words) },
  ]);
});
