export type Direction = 'backup' | 'restore';

/** What the configuration says about several limits (`bandwith_*`). */
export interface LimitChoice {
  /** Whose limit wins when both set one. */
  readonly advantage: 'client' | 'rule';
  readonly amongClient: 'min' | 'max';
  readonly amongRule: 'min' | 'max';
}

/**
 * The limit that holds, in KB/s; 0 = none. `client` and `rule` are the limits whose window is open. A 0 among them
 * sets no limit (a limit of restores alone says nothing about backups), so it neither wins nor is the smallest.
 */
export function effectiveLimit(
  limits: { readonly client: readonly number[]; readonly rule: readonly number[] },
  choice: LimitChoice,
): number {
  const ofClient = chosen(limits.client, choice.amongClient);
  const ofRule = chosen(limits.rule, choice.amongRule);
  if (ofClient === 0 || ofRule === 0) return ofClient + ofRule;
  return choice.advantage === 'client' ? ofClient : ofRule;
}

function chosen(limits: readonly number[], which: 'min' | 'max'): number {
  const set = limits.filter((limit) => limit > 0);
  if (set.length === 0) return 0;
  return which === 'min' ? Math.min(...set) : Math.max(...set);
}

const bytesPerKb = 1024;

/** What one of `tasks` that run for a client gets of its limit, in bytes per second; 0 = no limit. */
export function shareOf(limitKbPerSecond: number, tasks: number): number {
  if (limitKbPerSecond === 0) return 0;
  // One byte at least: 0 would mean no limit at all.
  return Math.max(1, Math.floor((limitKbPerSecond * bytesPerKb) / Math.max(1, tasks)));
}
