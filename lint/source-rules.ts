import * as fs from 'node:fs';
import { type Finding, isNode, type SourceFile, type SyntaxNode } from './source-file.ts';

interface SourceRule {
  /** Files it holds for. */
  readonly appliesTo: (path: string) => boolean;
  /** The message when the node breaks the rule. */
  readonly refuse: (node: SyntaxNode) => string | undefined;
}

/** They run once, before there is a window to freeze or a request to keep waiting. */
const startUpFiles: ReadonlySet<string> = new Set([
  'main/index.ts',
  'backend/main.ts',
  'backend/options.ts',
  'backend/first-superuser.ts',
]);

const product = /^(contract|preload|renderer|main|backend)\//;
const syncFsAllowed = /^backend\/(engine|platform)\/|-worker\.ts$/;
/** The lock on the data folder is a database file of its own, so that its holder's death releases it. */
const sqlAllowed = /-store\.ts$|^backend\/db\/|^backend\/platform\/lock\.ts$/;
const ipcAllowed = /^(main\/bridge|preload)\//;

const syncFsNames: ReadonlySet<string> = new Set(Object.keys(fs).filter((name) => name.endsWith('Sync')));
const sqlStatement =
  /^\s*(SELECT\s.+\sFROM\s|INSERT\s+INTO\s|UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s|(CREATE|ALTER|DROP)\s+(TABLE|INDEX|VIEW)\s|PRAGMA\s)/is;

const rules: readonly SourceRule[] = [
  {
    appliesTo: (path) => product.test(path) && !ipcAllowed.test(path),
    refuse: (node) =>
      isIdentifier(node, 'ipcMain') || isIdentifier(node, 'ipcRenderer')
        ? `${String(node.name)} belongs to main/bridge and preload: the bridge checks who asks and what`
        : undefined,
  },
  {
    appliesTo: (path) => product.test(path) && !syncFsAllowed.test(path) && !startUpFiles.has(path),
    refuse: (node) =>
      node.type === 'Identifier' && syncFsNames.has(String(node.name))
        ? `${String(node.name)} stops everything else in this process: use node:fs/promises, or do it in a *-worker.ts`
        : undefined,
  },
  {
    appliesTo: (path) => product.test(path),
    refuse: (node) =>
      isIdentifier(node, 'dangerouslySetInnerHTML') ||
      (node.type === 'JSXIdentifier' && node.name === 'dangerouslySetInnerHTML')
        ? 'dangerouslySetInnerHTML: names and texts of servers are hostile, render them as text'
        : undefined,
  },
  {
    appliesTo: (path) => path.startsWith('backend/features/directory/'),
    refuse: (node) =>
      isTextFilter(node)
        ? 'a filter made of text lets a name change the question: use EqualityFilter and its kin'
        : undefined,
  },
  {
    appliesTo: (path) => product.test(path) && !sqlAllowed.test(path),
    refuse: (node) => (isSql(node) ? 'SQL belongs to *-store.ts files and backend/db' : undefined),
  },
];

/** What the file does that the house rules forbid in its place. */
export function checkSource(file: SourceFile): readonly Finding[] {
  const applying = rules.filter((rule) => rule.appliesTo(file.path));
  const found = file.nodes.flatMap((node) =>
    applying.flatMap((rule) => {
      const message = rule.refuse(node);
      return message === undefined ? [] : [{ path: file.path, line: file.lineAt(node.start), message }];
    }),
  );
  // An import and its local name are two nodes of one place.
  return found.filter((one, index) => found.findIndex((other) => same(one, other)) === index);
}

function same(one: Finding, other: Finding): boolean {
  return one.line === other.line && one.message === other.message;
}

const textTypes: ReadonlySet<string> = new Set(['Literal', 'TemplateLiteral', 'BinaryExpression']);

/** `filter: '(cn=…)'`, in any way of writing a text. */
function isTextFilter(node: SyntaxNode): boolean {
  if (node.type !== 'Property' || !isNode(node.key) || !isIdentifier(node.key, 'filter')) return false;
  return isNode(node.value) && textTypes.has(node.value.type);
}

function isIdentifier(node: SyntaxNode, name: string): boolean {
  return node.type === 'Identifier' && node.name === name;
}

function isSql(node: SyntaxNode): boolean {
  if (node.type === 'TaggedTemplateExpression') return isNode(node.tag) && isIdentifier(node.tag, 'sql');
  if (node.type === 'Literal') return typeof node.value === 'string' && isStatement(node.value);
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node.quasis)) return false;
  const texts = node.quasis.filter(isNode).map((part) => rawText(part.value));
  return isStatement(texts.join(' x '));
}

/** A sentence for people may begin with such a word too, but with one capital letter. */
function isStatement(text: string): boolean {
  const [first = ''] = text.trimStart().split(/\s/, 1);
  return (first === first.toUpperCase() || first === first.toLowerCase()) && sqlStatement.test(text);
}

function rawText(value: unknown): string {
  return typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : '';
}
