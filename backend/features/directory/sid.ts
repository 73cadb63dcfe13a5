/** A security identifier as the directory stores it, in its text form (`S-1-5-21-…`); null for anything else. */
export function sidText(bytes: Uint8Array): string | null {
  const view = Buffer.from(bytes);
  const count = view[1] ?? 0;
  if (view.length < 8 || view[0] !== 1 || view.length !== 8 + 4 * count) return null;
  const authority = view.readUIntBE(2, 6);
  const parts = Array.from({ length: count }, (_, index) => view.readUInt32LE(8 + 4 * index));
  return ['S-1', authority, ...parts].join('-');
}
