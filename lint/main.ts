// node lint/main.ts: the project's own rules, on every TypeScript file that git knows or would take.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkImports } from './import-rules.ts';
import { type Finding, readSourceFile } from './source-file.ts';
import { checkSource } from './source-rules.ts';
import { checkTexts } from './text-rules.ts';

const root = join(import.meta.dirname, '..');
const manifest: { dependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const declared = { dependencies: new Set(Object.keys(manifest.dependencies)) };

const findings = sourcePaths().flatMap((path): readonly Finding[] => {
  const file = readSourceFile(root, path);
  return [...checkImports(file, declared), ...checkSource(file), ...checkTexts(file)];
});
for (const { path, line, message } of findings) process.stderr.write(`${path}:${line}  ${message}\n`);
process.exitCode = findings.length === 0 ? 0 : 1;

function sourcePaths(): readonly string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}
