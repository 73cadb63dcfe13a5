import { en } from './en.ts';
import { t } from './index.ts';

type Reason = keyof typeof en.reasons;

/** The English texts with what stands at their placeholders as groups; the longest first, so that the special goes before the general. */
const patterns = (Object.keys(en.reasons) as readonly Reason[])
  .map((name) => {
    const text = en.reasons[name];
    const values = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, value = '']) => value);
    const literal = text.split(/\{\{\w+\}\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return {
      name,
      values,
      length: literal.join('').length,
      pattern: new RegExp(`^${literal.join('(.+)')}$`),
    };
  })
  .sort((a, b) => b.length - a.length);

/**
 * Why a value does not fit, in the language of the moment. The schemas of the contract speak English, and so do servers;
 * a reason that has no text here stays as it is.
 */
export function reasonText(reason: string): string {
  // A text of this length is no reason of ours, and would only cost time.
  if (reason.length > mostChars) return reason;
  for (const { name, values, pattern } of patterns) {
    const found = pattern.exec(reason);
    if (found === null) continue;
    return t(
      `reasons.${name}`,
      Object.fromEntries(values.map((value, index) => [value, found[index + 1] ?? ''])),
    );
  }
  return reason;
}

const mostChars = 300;
