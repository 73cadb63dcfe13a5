import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openApiDocument } from '../../backend/http/openapi.ts';
import { productVersion } from '../../backend/version.ts';
import { spawnBackend } from '../support/backend.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const here = dirname(fileURLToPath(import.meta.url));
const projectDir = join(here, '../..');
const installed = createRequire(join(here, 'package.json'));

/** Runs a program of Node to its end. */
async function run(args: readonly string[], options: { cwd: string; env?: Record<string, string> }) {
  const child = spawn(join(projectDir, 'node_modules/.bin/node'), [...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  return { code, output };
}

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: ['node'],
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
};

it('a client with types from a public generator compiles and drives a backend', async () => {
  const folder = await makeTempDir('typed-client');
  const at = (name: string) => join(folder.path, name);
  await symlink(join(projectDir, 'node_modules'), at('node_modules'));
  await cp(join(here, 'smoke/smoke.ts'), at('smoke.ts'));
  await writeFile(at('package.json'), '{"type":"module"}');
  await writeFile(at('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  await writeFile(at('openapi.json'), JSON.stringify(openApiDocument(productVersion)));

  const generator = join(dirname(installed.resolve('openapi-typescript/package.json')), 'bin/cli.js');
  const generated = await run([generator, 'openapi.json', '--output', 'api-types.ts'], { cwd: folder.path });
  expect(generated).toMatchObject({ code: 0 });

  const compiler = join(dirname(installed.resolve('typescript/package.json')), 'bin/tsc');
  expect(await run([compiler, '-p', '.'], { cwd: folder.path })).toEqual({ code: 0, output: '' });
  // The types refuse what the API refuses, so a wrong program does not compile.
  await writeFile(
    at('wrong.ts'),
    `import createClient from 'openapi-fetch';
import type { paths } from './api-types.ts';
const client = createClient<paths>({ baseUrl: '' });
await client.POST('/pools', { body: { pool_type: 'File system', media_server: 'x' } });
await client.GET('/pools/{id}', { params: { path: { id: 'x' } } });
`,
  );
  const wrong = await run([compiler, '-p', '.'], { cwd: folder.path });
  expect(wrong.output.match(/wrong\.ts\(\d/g)).toHaveLength(2);

  const password = 'a long enough password';
  const dataDir = await makeTempDir('typed-client-data');
  const backend = spawnBackend({ dataDir: dataDir.path, env: { STRONGROOM_ADMIN_PASSWORD: password } });
  try {
    const { url } = await backend.ready;
    const smoke = await run(['smoke.ts', url], { cwd: folder.path, env: { SMOKE_PASSWORD: password } });
    expect(smoke).toMatchObject({ code: 0 });
    expect(smoke.output.split('\n')).toContain('logout: 200');
  } finally {
    await backend.stop();
    await Promise.all([folder.remove(), dataDir.remove()]);
  }
});
