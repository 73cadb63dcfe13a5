/**
 * True when a value weighs no more than this many bytes, roughly as JSON. Stops counting as soon as it is more, and
 * counts what is met twice only once, so that a value that holds itself ends too.
 */
export function weighsAtMost(value: unknown, mostBytes: number): boolean {
  let left = mostBytes;
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    left -= ownWeight(one);
    if (left < 0) return false;
    if (typeof one !== 'object' || one === null || seen.has(one)) continue;
    seen.add(one);
    if (ArrayBuffer.isView(one) || one instanceof ArrayBuffer) continue;
    for (const [key, item] of Object.entries(one)) {
      left -= key.length;
      waiting.push(item);
    }
    if (left < 0) return false;
  }
  return true;
}

function ownWeight(value: unknown): number {
  if (typeof value === 'string') return 2 + Buffer.byteLength(value);
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  return 8;
}
