import type { RetentionRule } from '../../../contract/repository/retention-preview.ts';
import { type KeptCopy, mandatoryUntil, type RetentionSettings } from './retention-rules.ts';

export interface DeletionSettings extends RetentionSettings {
  /** Copies that build on a deleted one go with it. */
  readonly removesChain: boolean;
  readonly keepsLastOfRule: boolean;
  readonly keepsLastOfStrategyRule: boolean;
}

/** What speaks for and against the deletion of one copy. */
export interface DeletionFacts extends KeptCopy {
  readonly ruleId: number | null;
  readonly strategyRuleId: number | null;
  /** Neither broken nor suspicious. */
  readonly isGood: boolean;
  /** Active tasks that use it (a restore, a verification). */
  readonly usedByTasks: readonly number[];
}

export interface CopyCounts {
  readonly all: number;
  readonly good: number;
}

export interface DeletionRequest {
  readonly ids: readonly number[];
  /** By copy: all copies that reach it through their references, in the order in which they were made. */
  readonly dependants: ReadonlyMap<number, readonly number[]>;
  /** Of the copies asked for and of all their dependants. */
  readonly facts: ReadonlyMap<number, DeletionFacts>;
  /** Of the listed copies, by rule, and by rule of a strategy. */
  readonly copiesOfRule: ReadonlyMap<number, CopyCounts>;
  readonly copiesOfStrategyRule: ReadonlyMap<number, CopyCounts>;
  readonly settings: DeletionSettings;
  readonly nowMs: number;
}

/** Why nothing goes: the rule, and the same in words. */
export interface DeletionReason {
  readonly rule: RetentionRule;
  readonly text: string;
}

export type DeletionPlan =
  /** `ids`: what goes, dependants before what they build on. */
  | { readonly ok: true; readonly ids: readonly number[] }
  | {
      readonly ok: false;
      readonly code: 'object.inUse' | 'object.protected';
      readonly reasons: readonly DeletionReason[];
    };

/** What goes when the given copies are deleted, or why nothing does. */
export function planDeletion(request: DeletionRequest): DeletionPlan {
  const asked = new Set(request.ids);
  const left = request.ids.flatMap((id) => {
    const others = (request.dependants.get(id) ?? []).filter((other) => !asked.has(other));
    return others.length > 0
      ? [`copy ${id}: ${others.join(', ')} build${others.length === 1 ? 's' : ''} on it`]
      : [];
  });
  if (left.length > 0 && !request.settings.removesChain) {
    const reasons = left.map((reason) => ({
      rule: 'dependants' as const,
      text: `${reason}; delete them together, or set repository_remove_chain to yes`,
    }));
    return { ok: false, code: 'object.inUse', reasons };
  }
  const going = new Set([...request.ids, ...request.ids.flatMap((id) => request.dependants.get(id) ?? [])]);
  const facts = [...going].flatMap((id) => request.facts.get(id) ?? []);
  const used = facts.flatMap((copy) => usedReason(copy) ?? []);
  if (used.length > 0) return { ok: false, code: 'object.inUse', reasons: used };
  const kept = facts.flatMap((copy) => protectedReason(copy, request) ?? []);
  const last = lastCopyReasons(facts, request);
  if (kept.length + last.length > 0) {
    return { ok: false, code: 'object.protected', reasons: [...kept, ...last] };
  }
  return { ok: true, ids: dependantsFirst([...going], request.dependants) };
}

function usedReason(copy: DeletionFacts): DeletionReason | null {
  const [task] = copy.usedByTasks;
  if (task === undefined) return null;
  const text = `copy ${copy.id} is used by the active task ${task}; wait for its end or kill it`;
  return { rule: 'in_use', text };
}

function protectedReason(copy: DeletionFacts, { settings, nowMs }: DeletionRequest): DeletionReason | null {
  if (nowMs < mandatoryUntil(copy, settings)) {
    const text = `copy ${copy.id} is younger than the mandatory storage time`;
    return { rule: 'mandatory_storage_time', text };
  }
  // A copy that is kept forever has its time always before it.
  const isKept = copy.storeUntilMs === null || copy.storeUntilMs > nowMs;
  if (settings.immutableArchives && isKept) {
    const text = `copy ${copy.id} cannot be deleted before its time: immutable_archives is on`;
    return { rule: 'immutable_archives', text };
  }
  return null;
}

function lastCopyReasons(
  facts: readonly DeletionFacts[],
  request: DeletionRequest,
): readonly DeletionReason[] {
  const { settings, copiesOfRule, copiesOfStrategyRule } = request;
  const byRule = exhausted(facts, (copy) => copy.ruleId, copiesOfRule);
  const byStrategyRule = exhausted(facts, (copy) => copy.strategyRuleId, copiesOfStrategyRule);
  return [
    ...(settings.keepsLastOfRule ? byRule : []).map(({ id, which }) => ({
      rule: 'last_copy_of_rule' as const,
      text: `the ${which} copy of rule ${id} is kept`,
    })),
    ...(settings.keepsLastOfStrategyRule ? byStrategyRule : []).map(({ id, which }) => ({
      rule: 'last_copy_of_strategy_rule' as const,
      text: `the ${which} copy of strategy rule ${id} is kept`,
    })),
  ];
}

/** Rules of which no copy would be left, or no good one though there was one. */
function exhausted(
  facts: readonly DeletionFacts[],
  ruleOf: (copy: DeletionFacts) => number | null,
  copies: ReadonlyMap<number, CopyCounts>,
): readonly { readonly id: number; readonly which: 'last' | 'last good' }[] {
  const going = countsByRule(facts, ruleOf);
  return [...going].flatMap(([id, { all, good }]): { id: number; which: 'last' | 'last good' }[] => {
    const there = copies.get(id) ?? { all: 0, good: 0 };
    if (all >= there.all) return [{ id, which: 'last' }];
    return good > 0 && good >= there.good ? [{ id, which: 'last good' }] : [];
  });
}

/** How many of these copies each rule has. */
export function countsByRule<C extends { readonly isGood: boolean }>(
  copies: readonly C[],
  ruleOf: (copy: C) => number | null,
): ReadonlyMap<number, CopyCounts> {
  const counts = new Map<number, CopyCounts>();
  for (const copy of copies) {
    const rule = ruleOf(copy);
    if (rule === null) continue;
    const { all, good } = counts.get(rule) ?? { all: 0, good: 0 };
    counts.set(rule, { all: all + 1, good: good + (copy.isGood ? 1 : 0) });
  }
  return counts;
}

function dependantsFirst(
  ids: readonly number[],
  dependants: ReadonlyMap<number, readonly number[]>,
): readonly number[] {
  // A copy has more dependants than any of its dependants has.
  const count = (id: number): number => dependants.get(id)?.length ?? 0;
  return [...ids].sort((left, right) => count(left) - count(right) || left - right);
}

/** Copies whose time has passed and that no longer-lived copy builds on. */
export function expiredWithDependants(
  expired: readonly number[],
  dependants: ReadonlyMap<number, readonly number[]>,
): readonly number[] {
  const gone = new Set(expired);
  return expired.filter((id) => (dependants.get(id) ?? []).every((other) => gone.has(other)));
}
