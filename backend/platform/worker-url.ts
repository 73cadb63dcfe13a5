/**
 * Where the source of a worker thread is. Run from source it is the sibling TypeScript file; bundled, every
 * `*-worker.ts` of the backend lies as `<name>.js` flat beside the bundle, so names of workers are unique.
 */
export function workerUrl(moduleUrl: string, name: string): URL {
  const fromSource = moduleUrl.endsWith('.ts');
  return new URL(fromSource ? `./${name}.ts` : `./${name}.js`, moduleUrl);
}
