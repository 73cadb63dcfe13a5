import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';

/** A node of the syntax tree; every field may hold further nodes. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export interface ImportOf {
  readonly specifier: string;
  readonly line: number;
  /** Gone at run time: `import type`, or only `type` names. */
  readonly typeOnly: boolean;
  /** Names as the other module calls them, of what is not a type. */
  readonly names: readonly string[];
}

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly imports: readonly ImportOf[];
  readonly nodes: readonly SyntaxNode[];
  readonly lineAt: (offset: number) => number;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export function readSourceFile(root: string, path: string): SourceFile {
  return parseSource(path, readFileSync(join(root, path), 'utf8'));
}

/** Throws when the text is no TypeScript; the type check says more about such a file. */
export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text);
  const problem = parsed.errors[0];
  if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length;
  const nodes = [...walk(parsed.program)];
  return { path, imports: nodes.flatMap((node) => importOf(node, lineAt)), nodes, lineAt };
}

/** Where an import leads: a file of the project, or the name of a package or Node module. */
export function targetOf(
  file: SourceFile,
  specifier: string,
): { readonly file: string } | { readonly package: string } {
  if (specifier.startsWith('.'))
    return { file: posix.join(posix.dirname(file.path), specifier.replace(/\?.*$/, '')) };
  if (specifier.startsWith('node:')) return { package: specifier };
  const [first = '', second = ''] = specifier.split('/');
  return { package: first.startsWith('@') ? `${first}/${second}` : first };
}

function* walk(value: unknown): Generator<SyntaxNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* walk(item);
    return;
  }
  if (!isNode(value)) return;
  yield value;
  for (const child of Object.values(value)) yield* walk(child);
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function importOf(node: SyntaxNode, lineAt: (offset: number) => number): readonly ImportOf[] {
  const isTree =
    node.type === 'ImportDeclaration' || node.type.startsWith('Export') || node.type === 'ImportExpression';
  const source = isTree ? stringValue(node.source) : undefined;
  if (source === undefined) return [];
  const specifiers = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : [];
  const kind = node.importKind ?? node.exportKind;
  const values = specifiers.filter((specifier) => (specifier.importKind ?? specifier.exportKind) !== 'type');
  const typeOnly = kind === 'type' || (specifiers.length > 0 && values.length === 0);
  const names = typeOnly ? [] : values.flatMap((specifier) => importedName(specifier));
  return [{ specifier: source, line: lineAt(node.start), typeOnly, names }];
}

function importedName(specifier: SyntaxNode): readonly string[] {
  if (specifier.type === 'ImportDefaultSpecifier') return ['default'];
  const imported = specifier.imported ?? specifier.local;
  if (!isNode(imported)) return [];
  const name = imported.name ?? imported.value;
  return typeof name === 'string' ? [name] : [];
}

function stringValue(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}
