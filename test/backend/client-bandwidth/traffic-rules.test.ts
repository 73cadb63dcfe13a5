import { describe, expect, it } from 'vitest';
import { effectiveLimit, type LimitChoice, shareOf } from '../../../backend/features/tasks/traffic-rules.ts';

const choice = (change: Partial<LimitChoice> = {}): LimitChoice => ({
  advantage: 'client',
  amongClient: 'min',
  amongRule: 'min',
  ...change,
});

describe('the limit that holds', () => {
  it('is none when nobody sets one', () => {
    expect(effectiveLimit({ client: [], rule: [] }, choice())).toBe(0);
    expect(effectiveLimit({ client: [0], rule: [0, 0] }, choice())).toBe(0);
  });

  it('is the smallest or the largest of several, as configured for each side', () => {
    const limits = { client: [300, 0, 100, 200], rule: [] };
    expect(effectiveLimit(limits, choice())).toBe(100);
    expect(effectiveLimit(limits, choice({ amongClient: 'max' }))).toBe(300);
    expect(effectiveLimit(limits, choice({ amongRule: 'max' }))).toBe(100);
    const ofRules = { client: [], rule: [70, 50] };
    expect(effectiveLimit(ofRules, choice())).toBe(50);
    expect(effectiveLimit(ofRules, choice({ amongRule: 'max' }))).toBe(70);
  });

  it('is that of the client or of the rule when both set one, and the only one otherwise', () => {
    const both = { client: [100, 300], rule: [50, 70] };
    expect(effectiveLimit(both, choice())).toBe(100);
    expect(effectiveLimit(both, choice({ advantage: 'rule' }))).toBe(50);
    expect(effectiveLimit(both, choice({ advantage: 'rule', amongRule: 'max' }))).toBe(70);
    expect(effectiveLimit({ client: [0], rule: [50] }, choice())).toBe(50);
    expect(effectiveLimit({ client: [100], rule: [] }, choice({ advantage: 'rule' }))).toBe(100);
  });
});

describe('the share of a task', () => {
  it('is its part of the limit in bytes a second, and never none of a limit', () => {
    expect(shareOf(0, 3)).toBe(0);
    expect(shareOf(1, 1)).toBe(1024);
    expect(shareOf(100, 4)).toBe(25_600);
    expect(shareOf(1, 5000)).toBe(1);
    expect(shareOf(10, 0)).toBe(10_240);
  });
});
