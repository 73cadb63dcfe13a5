import { beforeAll, expect, it } from 'vitest';
import { run, strategy } from '../rows.ts';

/** The language of a page is settled before anything of it is read. */
beforeAll(() => {
  document.documentElement.lang = 'ru';
});

const hourMs = 3_600_000;
const from = Date.parse('2030-03-31T00:00:00Z');

it('says days of the week and how often something runs as Russian does', async () => {
  const { cellLines, planWeek } = await import('../../../../renderer/features/strategies/week-plan.ts');
  const often = (count: number) => {
    const next_runs = Array.from({ length: count }, (_, index) =>
      run(new Date(from + index * hourMs).toISOString(), 'incremental'),
    );
    const ahead = [{ strategy: strategy(1, { next_runs }), runs: next_runs, isCut: false }];
    return planWeek(ahead, 'UTC', from);
  };
  expect(often(4).days.map(({ weekday }) => weekday)).toEqual(['вс', 'пн', 'вт', 'ср', 'чт', 'пт', 'сб']);
  const titles = [4, 5, 21].map((count) => cellLines(often(count).rows[0]?.days[0] ?? [])[0]?.title);
  expect(titles).toEqual(['4 раза, с 00:00 до 03:00', '5 раз, с 00:00 до 04:00', '21 раз, с 00:00 до 20:00']);
});

it('says what a change of the clocks does to a run', async () => {
  const { noteText } = await import('../../../../renderer/shell/runs-table.tsx');
  const note = (utc: string) => noteText('Europe/Paris', run(utc));
  expect(note('2030-03-31T01:00:00Z')).toMatch(/^часы переводятся с 02:00 на 03:00: /);
  expect(note('2030-10-27T00:30:00Z')).toBe('02:30 наступает дважды; это первый раз');
  expect(note('2030-10-27T01:30:00Z')).toBe('02:30 наступает дважды; это второй раз');
});
