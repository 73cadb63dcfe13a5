import type { RetentionRule } from '../../../contract/repository/retention-preview.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import {
  type ExpiryFacts,
  type ExpirySettings,
  type ExpirySnapshot,
  type ExpiryStep,
  expiresAt,
} from './expiry-rules.ts';

/** Why a copy is there at a moment, or why it is not. */
export interface Verdict {
  readonly kept: boolean;
  readonly rule: RetentionRule;
  readonly reason: string;
  /** When it goes; null when it is kept. */
  readonly goesMs: number | null;
}

/** A copy that is due and that the expiry has looked at; all of its chain when the chain goes. */
export function verdictsOf(
  { id, chain, fromMs, plan }: ExpiryStep,
  about: Pick<ExpirySnapshot, 'facts' | 'settings'> & { readonly askedMs: number },
): readonly (readonly [number, Verdict])[] {
  if (!plan.ok) {
    const [first] = plan.reasons;
    const reason = plan.reasons.map(({ text }) => text).join('; ');
    return [[id, kept(first?.rule ?? 'in_use', `Its time is over, but ${reason}.`)]];
  }
  return chain.flatMap((each) => {
    const copy = about.facts.get(each);
    return copy === undefined ? [] : [[each, going(copy, about.settings, Math.max(fromMs, about.askedMs))]];
  });
}

/** A copy that the expiry has not looked at: it is not due, or one that is kept longer builds on it. */
export function verdictOfOther(
  copy: Pick<ExpiryFacts, 'storeUntilMs' | 'isArchiving' | 'isBroken'>,
  about: {
    readonly atMs: number;
    readonly settings: ExpirySettings;
    /** Copies that build on it, when it is due. */
    readonly dependants: readonly number[];
  },
): Verdict {
  const { atMs, settings, dependants } = about;
  if (expiresAt(copy, settings) <= atMs) {
    const others = dependants.join(', ');
    return kept(
      'dependants',
      `Its time is over, but of the copies that build on it (${others}) not all have come to their end.`,
    );
  }
  if (copy.storeUntilMs === null) return kept('forever', 'It is kept for ever.');
  if (copy.storeUntilMs > atMs) {
    return kept('not_expired', `It is kept until ${toWireTime(copy.storeUntilMs)}.`);
  }
  return kept(
    'archiving',
    'Its time is over, but it is marked for an archive (`archiving`) and does not expire.',
  );
}

export function verdictInServiceMode(verdict: Verdict): Verdict {
  if (verdict.kept) return verdict;
  return kept('service_mode', 'Its time is over, but nothing expires while the server is in service mode.');
}

export function verdictWhileHeld(verdict: Verdict): Verdict {
  if (verdict.kept) return verdict;
  return kept(
    'clock_jumped',
    'Its time is over, but the clock has jumped ahead: nothing expires until it is confirmed or right again.',
  );
}

function going(copy: ExpiryFacts, settings: ExpirySettings, goesMs: number): Verdict {
  const isDated = !copy.isArchiving && copy.storeUntilMs !== null && copy.storeUntilMs <= goesMs;
  if (copy.isBroken && settings.removesBroken && !isDated) {
    const reason = 'It is broken, and auto_delete_archive_from_broken_chain is `yes`.';
    return { kept: false, rule: 'broken', reason, goesMs };
  }
  const reason = `Its time is over at ${toWireTime(copy.storeUntilMs ?? goesMs)}.`;
  return { kept: false, rule: 'expired', reason, goesMs };
}

function kept(rule: RetentionRule, reason: string): Verdict {
  return { kept: true, rule, reason, goesMs: null };
}
