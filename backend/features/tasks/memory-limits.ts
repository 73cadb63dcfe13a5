import type { MemoryLimit } from '../../engine/index.ts';

/** The parameters that bound the memory of a task. */
export interface MemoryParameters {
  /** In GB; 0 and missing: no limit. */
  readonly memory_threshold?: number;
  readonly deny_memory_exceed?: boolean;
}

const gigabyte = 1024 ** 3;

/** Of a backup, and of what is done with its copy later. Null: no limit. */
export function backupLimit({
  memory_threshold = 0,
  deny_memory_exceed = false,
}: MemoryParameters): MemoryLimit | null {
  return memory_threshold > 0 ? { bytes: memory_threshold * gigabyte, isStrict: deny_memory_exceed } : null;
}

/** Of a restore, which has no `deny_memory_exceed`: its few threads always fit, so its heaps are what there is to bound. */
export function restoreLimit({ memory_threshold = 0 }: MemoryParameters): MemoryLimit | null {
  return memory_threshold > 0 ? { bytes: memory_threshold * gigabyte, isStrict: true } : null;
}

/** `module_extensions` or `common_modules_extensions` of a task, as they are kept with it. */
export function parametersKept<P>(json: string | null): Partial<P> {
  if (json === null) return {};
  return (JSON.parse(json) as { readonly parameters?: Partial<P> }).parameters ?? {};
}
