import { describe, expect, it } from 'vitest';
import { ZoneClock, zoneClock } from '../../../backend/platform/zone-clock.ts';

const hourMs = 3_600_000;
const at = (text: string) => Date.parse(text);

describe('the clock on the wall of a zone', () => {
  it('is set by an hour, by half an hour, and once by a whole day', () => {
    const paris = new ZoneClock('Europe/Paris');
    expect(paris.spanAt(at('2026-03-29T00:59:59.999Z'))).toMatchObject({
      offsetMs: hourMs,
      endMs: at('2026-03-29T01:00:00Z'),
    });
    expect(paris.spanAt(at('2026-03-29T01:00:00Z'))).toMatchObject({
      offsetMs: 2 * hourMs,
      startMs: at('2026-03-29T01:00:00Z'),
    });
    const lordHowe = new ZoneClock('Australia/Lord_Howe');
    expect(lordHowe.spanAt(at('2026-04-04T14:59:59Z')).offsetMs).toBe(11 * hourMs);
    expect(lordHowe.spanAt(at('2026-04-04T15:00:00Z')).offsetMs).toBe(10.5 * hourMs);
    const apia = new ZoneClock('Pacific/Apia');
    expect(apia.spanAt(at('2011-12-30T09:59:59Z')).offsetMs).toBe(-10 * hourMs);
    expect(apia.spanAt(at('2011-12-30T10:00:00Z')).offsetMs).toBe(14 * hourMs);
    expect(new ZoneClock('America/St_Johns').spanAt(at('2026-01-01T00:00:00Z')).offsetMs).toBe(-3.5 * hourMs);
    expect(new ZoneClock('UTC').spanAt(0).offsetMs).toBe(0);
  });

  it('shows a time that comes twice first when it comes first, and one that is skipped at the end of the gap', () => {
    const paris = zoneClock('Europe/Paris');
    expect(paris.momentOf(at('2026-10-25T02:30:00Z'))).toBe(at('2026-10-25T00:30:00Z'));
    expect(paris.momentOf(at('2026-10-25T03:00:00Z'))).toBe(at('2026-10-25T02:00:00Z'));
    expect(paris.momentOf(at('2026-03-29T02:30:00Z'))).toBe(at('2026-03-29T01:00:00Z'));
    expect(paris.momentOf(at('2026-03-29T03:00:00Z'))).toBe(at('2026-03-29T01:00:00Z'));
    expect(zoneClock('Pacific/Apia').momentOf(at('2011-12-30T05:00:00Z'))).toBe(at('2011-12-30T10:00:00Z'));
  });

  it('is there for names of zones alone', () => {
    expect(() => zoneClock('Middle/Earth')).toThrow(RangeError);
    expect(zoneClock('Europe/Paris')).toBe(zoneClock('Europe/Paris'));
  });
});
