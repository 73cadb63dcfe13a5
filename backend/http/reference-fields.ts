import { type Json, typeOf } from './openapi-examples.ts';

/** A Markdown table of all fields of `schema`, nested ones as `task.priority`; empty when there are none. */
export function fieldTable(title: string, schema: Json): string {
  const rows = fieldsOf(schema, '');
  if (rows.length === 0) return '';
  return [
    `| ${title} | Type | Required | Values | Meaning |`,
    '|---|---|---|---|---|',
    ...rows.map(({ name, field, isRequired }) => {
      const cells = [
        `\`${name}\``,
        typeText(field),
        isRequired ? 'yes' : '',
        rangeOf(field),
        String(field.description ?? ''),
      ];
      return `| ${cells.map(cell).join(' | ')} |`;
    }),
  ].join('\n');
}

interface Row {
  readonly name: string;
  readonly field: Json;
  readonly isRequired: boolean;
}

function fieldsOf(schema: Json, prefix: string): readonly Row[] {
  const required = new Set((schema.required ?? []) as readonly string[]);
  return Object.entries((schema.properties ?? {}) as Readonly<Record<string, Json>>).flatMap(
    ([name, property]) => {
      const field = withoutNull(property);
      const full = `${prefix}${name}`;
      const row = { name: full, field: { ...property, ...field }, isRequired: required.has(name) };
      if (typeOf(field) === 'object') return [row, ...fieldsOf(field, `${full}.`)];
      if (typeOf(field) === 'array') return [row, ...fieldsOf((field.items ?? {}) as Json, `${full}[].`)];
      return [row];
    },
  );
}

/** Of "this or null" the schema that says something; several real choices stay as they are. */
function withoutNull(schema: Json): Json {
  const choices = choicesOf(schema).filter((choice) => choice.type !== 'null' && choice.const !== '');
  const integer = choices.find((choice) => choice.type === 'integer');
  if (choices.length === 1) return choices[0] ?? schema;
  return integer && choices.length === 2 ? integer : schema;
}

const choicesOf = (schema: Json) => (schema.anyOf ?? schema.oneOf ?? []) as readonly Json[];

function allowsNull(schema: Json): boolean {
  return (
    (Array.isArray(schema.type) && schema.type.includes('null')) ||
    choicesOf(schema).some((choice) => choice.type === 'null')
  );
}

function typeText(field: Json): string {
  const type = typeOf(field) ?? choiceTypes(field);
  const items = typeOf((field.items ?? {}) as Json);
  const named = type === 'array' && items !== undefined ? `array of ${String(items)}` : String(type);
  return allowsNull(field) ? `${named} or null` : named;
}

function choiceTypes(field: Json): string {
  const types = [...choicesOf(field), ...((field.enum ?? []) as readonly unknown[])].map((choice) =>
    typeof choice === 'object' && choice !== null ? typeOf(choice as Json) : typeof choice,
  );
  const known = [...new Set(types)].filter((type) => type !== undefined && type !== 'null');
  return known.length === 0 ? 'any' : known.join(' or ');
}

function rangeOf(field: Json): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = field;
  if (Array.isArray(field.enum)) return field.enum.map((value) => `\`${value}\``).join(', ');
  if (field.const !== undefined) return `\`${field.const}\``;
  return [
    between(minimum, isLarge(maximum) ? undefined : maximum, ''),
    between(minLength, maxLength, ' characters'),
    between(minItems, maxItems, ' entries'),
    Array.isArray(field.examples) ? `like \`${field.examples.join('`, `')}\`` : '',
  ]
    .filter((text) => text !== '')
    .join('; ');
}

/** JSON schema writes the largest safe integer where the contract sets no limit of its own. */
const isLarge = (value: unknown) => typeof value === 'number' && value >= Number.MAX_SAFE_INTEGER;

function between(least: unknown, most: unknown, unit: string): string {
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return `${least}${unit} or more`;
  return least === undefined ? `at most ${most}${unit}` : `${least}–${most}${unit}`;
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
