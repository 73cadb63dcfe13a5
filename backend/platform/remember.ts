/**
 * What is kept under a key, or what is made for it now and kept. Of more than `most` none is kept any longer: what takes long to
 * make is made anew now and then, and nothing that is asked from outside makes the memory grow without end.
 */
export function remember<K, V extends object>(
  kept: Map<K, V>,
  { key, most }: { readonly key: K; readonly most: number },
  make: () => V,
): V {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (kept.size >= most) kept.clear();
  kept.set(key, made);
  return made;
}
