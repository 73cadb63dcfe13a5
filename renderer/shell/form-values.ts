/** Values of a form as the API takes them. */
export type FormValues = Readonly<Record<string, string | boolean>>;

export const textOf = (values: FormValues, name: string): string => String(values[name] ?? '').trim();

/** An empty field clears what was there. */
export function textOrNull(values: FormValues, name: string): string | null {
  const text = textOf(values, name);
  return text === '' ? null : text;
}

/** The server says what is wrong with a number that is none. */
export function numberOrNull(values: FormValues, name: string): number | null {
  const text = textOf(values, name);
  return text === '' ? null : Number(text);
}

export const flagOf = (values: FormValues, name: string): boolean => values[name] === true;
