import type { Page } from '@playwright/test';
import type { Asked } from './front.ts';

const hostile = [
  '<img src=x onerror="window.hacked = 1"><script>window.hacked = 2</script>',
  '\u202Egpj.exe \u2066mirrored',
  'long '.repeat(2_000),
  'a\u0000b\u001B[31mred\u0007\r\nnext',
  '{{name}} $t(common.name) %s &lt;b&gt; ../../etc/passwd',
];
/** What JSON.stringify cannot say: whole numbers beyond 2^53. */
const huge = '"@huge@"';
const hugeNumber = '18446744073709551615';

/** Every name, path and word of a record becomes hostile, every size huge; ids stay, so that rows can be told apart. */
function poison(value: unknown, kept: RegExp, at = { next: 0 }): unknown {
  if (Array.isArray(value)) return value.map((one) => poison(one, kept, at));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, held]) => {
    if (kept.test(name)) return [name, held];
    if (typeof held === 'object') return [name, poison(held, kept, at)];
    if (typeof held === 'string' && !/^\d{4}-\d\d-\d\d/.test(held)) {
      at.next += 1;
      return [name, hostile[at.next % hostile.length]];
    }
    if (typeof held === 'number' && /size|space|used|total|bytes|speed|count/.test(name))
      return [name, '@huge@'];
    return [name, held];
  });
  return { ...Object.fromEntries(entries), zz_new_field: { deep: [hostile] } };
}

/** What a server answered, with such words; sign-in and what decides how the window asks and fields that are `kept` stay as they are. */
export function poisoned({ method, path }: Asked, text: string, kept = /^$/): string {
  const isLook = method === 'GET' || /\/(tree|info|deletion_reference_chain)$/.test(path);
  if (!isLook || /^\/(auth|extensions|openapi|tasks\/extensions)/.test(path) || text === '') return text;
  const body = JSON.parse(text) as { data: unknown };
  return JSON.stringify({ ...body, data: poison(body.data, kept) }).replaceAll(huge, hugeNumber);
}

/** What the window shows, in the characters that it shows. */
export async function lookFor(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const wrong: string[] = [];
    const { hacked } = window as unknown as { hacked?: unknown };
    if (hacked !== undefined) wrong.push(`foreign code ran: ${String(hacked)}`);
    if (document.querySelector('img[src="x"], #root script') !== null) wrong.push('markup became elements');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u202a-\u202e\u2066-\u2069]/;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (hidden.test(node.nodeValue ?? ''))
        wrong.push(`hidden characters in ${node.parentElement?.className}`);
    }
    for (const element of document.querySelectorAll('[title], [aria-label]')) {
      for (const name of ['title', 'aria-label']) {
        if (hidden.test(element.getAttribute(name) ?? ''))
          wrong.push(`hidden characters in ${name} of ${element.tagName}.${element.className}`);
      }
    }
    // What is longer than a screenful pushes all else out of sight; `Capped` cuts it until it is asked for.
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const holder = node.parentElement;
      if ((node.nodeValue?.length ?? 0) < 2000 || holder === null || holder.closest('.capped') !== null)
        continue;
      if (holder.getBoundingClientRect().height > 150)
        wrong.push(`a long text is not cut in ${holder.outerHTML.slice(0, 80)}`);
    }
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) wrong.push(`the window scrolls sideways: ${root.scrollWidth}`);
    if (document.body.textContent?.includes('NaN')) wrong.push('NaN is shown');
    if ((document.querySelector('#root')?.childElementCount ?? 0) === 0) wrong.push('a blank window');
    return wrong;
  });
}
