import { type Finding, isNode, type SourceFile, type SyntaxNode } from './source-file.ts';

/** Attributes and properties whose value a person reads. */
const spoken: ReadonlySet<string> = new Set([
  'aria-label',
  'aria-description',
  'alt',
  'actionsLabel',
  'confirmLabel',
  'description',
  'empty',
  'header',
  'heading',
  'help',
  'hint',
  'label',
  'message',
  'placeholder',
  'submitLabel',
  'summary',
  'title',
]);

/** What main says in questions, notices and problems too. */
const spokenByMain: ReadonlySet<string> = new Set(['label', 'message', 'title', 'detail', 'body', 'reason']);
/** The log is read by whoever helps, in English. */
const mainLog = 'main/platform/log.ts';
/** The same in every language. */
const names: ReadonlySet<string> = new Set(['Strongroom']);

const hasWords = /\p{L}{2}/u;

/** A text that a person reads and that is not among the texts of its room, so that it stays English in every language. */
export function checkTexts(file: SourceFile): readonly Finding[] {
  const { path } = file;
  const [room = ''] = path.split('/', 1);
  if ((room !== 'renderer' && room !== 'main') || path.startsWith(`${room}/texts/`)) return [];
  if (path === mainLog) return [];
  const attributes = new Map(file.nodes.flatMap(valueOfAttribute));
  const textOf =
    room === 'main' ? propertyText(spokenByMain) : (node: SyntaxNode) => writtenText(node, attributes);
  return file.nodes.flatMap((node) => {
    const text = textOf(node);
    if (text === undefined || !hasWords.test(text) || names.has(text.trim())) return [];
    const message = `"${text.trim().slice(0, 40)}" is a text for people: it belongs to ${room}/texts, in both languages`;
    return [{ path, line: file.lineAt(node.start), message }];
  });
}

/** Where the value of an attribute begins, and whether a person reads it. */
function valueOfAttribute(node: SyntaxNode): readonly (readonly [number, boolean])[] {
  if (node.type !== 'JSXAttribute' || !isNode(node.name) || !isNode(node.value)) return [];
  return [[node.value.start, spoken.has(String(node.name.name))]];
}

function propertyText(read: ReadonlySet<string>) {
  return (node: SyntaxNode): string | undefined => {
    if (node.type !== 'Property' || !isNode(node.key) || !isNode(node.value)) return undefined;
    const name = node.key.type === 'Identifier' ? String(node.key.name) : String(node.key.value);
    return read.has(name) ? literalText(node.value) : undefined;
  };
}

function writtenText(node: SyntaxNode, attributes: ReadonlyMap<number, boolean>): string | undefined {
  if (node.type === 'JSXText') return String(node.value);
  if (node.type === 'JSXAttribute' && isNode(node.name) && spoken.has(String(node.name.name)))
    return isNode(node.value) ? literalText(node.value) : undefined;
  if (node.type !== 'JSXExpressionContainer' || !isNode(node.expression)) return propertyText(spoken)(node);
  const isSpoken = attributes.get(node.start) ?? true;
  const { expression } = node;
  // What a condition says: {isDone ? 'Done so far' : 'Not yet'}. One word may be a class or a key.
  if (isSpoken && expression.type === 'ConditionalExpression')
    return [expression.consequent, expression.alternate]
      .filter(isNode)
      .map(literalText)
      .find((text) => text !== undefined && /\s/.test(text.trim()));
  return attributes.has(node.start) ? undefined : literalText(expression);
}

function literalText(node: SyntaxNode): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type === 'JSXExpressionContainer' && isNode(node.expression)) return literalText(node.expression);
  if (node.type === 'TemplateLiteral' && Array.isArray(node.quasis))
    return node.quasis
      .filter(isNode)
      .map(({ value }) =>
        typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : '',
      )
      .join(' ');
  return undefined;
}
