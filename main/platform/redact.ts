const secretName = /token|password|passphrase|secret|cookie|authorization|csrf|credential/i;
const bearer = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;
/** Cut off ones too; and with nothing required at its end, no text can keep the search busy. */
const jwt = /\beyJ[\w-]{5,}(?:\.[\w-]+)*/g;
const addressPassword = /(\/\/[^\s/:@]+:)[^\s/@]+@/g;
const mostChars = 4_000;
const mostDepth = 4;

/** What may stand in a log: fields that hold secrets are blotted out by name, tokens in texts by their look. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (value instanceof Error) return redactError(value, depth);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= mostDepth) return '…';
  if (Array.isArray(value)) return value.slice(0, 50).map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      secretName.test(name) ? '[secret]' : redact(item, depth + 1),
    ]),
  );
}

export function redactText(text: string): string {
  const short = text.length > mostChars ? `${text.slice(0, mostChars)}…` : text;
  return short.replace(jwt, '[token]').replace(bearer, '$1 [token]').replace(addressPassword, '$1[secret]@');
}

function redactError(error: Error, depth: number): unknown {
  return {
    name: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ''),
    ...(error.cause === undefined || depth >= mostDepth ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}
