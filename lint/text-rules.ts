import { type Finding, isNode, type SourceFile, type SyntaxNode } from './source-file.ts';

/** Folders whose texts are not in renderer/texts yet. Nothing is added here. */
const notYet: readonly string[] = [
  'renderer/features/local-backend/',
  'renderer/features/overview/',
  'renderer/features/tape-libraries/',
];

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

const hasWords = /\p{L}{2}/u;

/** A text that a person reads and that is not in renderer/texts, so that it stays English in every language. */
export function checkTexts(file: SourceFile): readonly Finding[] {
  const { path } = file;
  if (!path.startsWith('renderer/') || path.startsWith('renderer/texts/')) return [];
  if (notYet.some((folder) => path.startsWith(folder))) return [];
  const unspoken = new Set(
    file.nodes.flatMap((node) => (isUnspokenAttribute(node) && isNode(node.value) ? [node.value.start] : [])),
  );
  return file.nodes.flatMap((node) => {
    if (node.type === 'JSXExpressionContainer' && unspoken.has(node.start)) return [];
    const text = writtenText(node);
    if (text === undefined || !hasWords.test(text)) return [];
    const message = `"${text.trim().slice(0, 40)}" is a text for people: it belongs to renderer/texts, in both languages`;
    return [{ path, line: file.lineAt(node.start), message }];
  });
}

function isUnspokenAttribute(node: SyntaxNode): boolean {
  return node.type === 'JSXAttribute' && isNode(node.name) && !spoken.has(String(node.name.name));
}

function writtenText(node: SyntaxNode): string | undefined {
  if (node.type === 'JSXText') return String(node.value);
  if (node.type === 'JSXAttribute' && isNode(node.name) && spoken.has(String(node.name.name)))
    return isNode(node.value) ? literalText(node.value) : undefined;
  if (node.type === 'Property' && isNode(node.key) && isNode(node.value)) {
    const name = node.key.type === 'Identifier' ? String(node.key.name) : String(node.key.value);
    return spoken.has(name) ? literalText(node.value) : undefined;
  }
  // What a condition or a child of an element says: {isDone ? 'Done' : 'Not yet'}.
  if (node.type === 'JSXExpressionContainer' && isNode(node.expression)) {
    const { expression } = node;
    if (expression.type === 'ConditionalExpression')
      return [expression.consequent, expression.alternate]
        .filter(isNode)
        .map(literalText)
        .find((text) => text !== undefined && /\s/.test(text.trim()));
  }
  return undefined;
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
