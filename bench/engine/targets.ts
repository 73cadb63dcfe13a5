import type { Row, ToolName, Work } from './tools.ts';
import type { TreeName } from './trees.ts';

/** The rows of the table of targets, as `--rows` chooses them. */
export const targetRows = [
  'backup',
  'none',
  'blocks',
  'unchanged',
  'dedup',
  'changed',
  'restore',
  'verify',
  'stored',
  'encryption',
  'memory',
] as const;
export type TargetRow = (typeof targetRows)[number];

interface Target {
  readonly row: TargetRow;
  readonly trees: readonly TreeName[];
  readonly tool: ToolName;
  readonly work: Work;
  readonly figure: 'wallSeconds' | 'storedMb';
  readonly peer: ToolName;
  readonly peerWork: Work;
  /** Of the peer's figure. */
  readonly most: number;
}

const files: readonly TreeName[] = ['a', 'b'];

/** Against tar (with zstd unless told otherwise), restic and Borg; a peer without a figure has no target. */
function against(
  row: TargetRow,
  own: readonly [tool: ToolName, work: Work],
  peerWork: Work,
  most: Partial<Record<ToolName, number>>,
  figure: Target['figure'] = 'wallSeconds',
): readonly Target[] {
  const [tool, work] = own;
  return Object.entries(most).map(([peer, each]) => ({
    row,
    trees: files,
    tool,
    work,
    figure,
    peer: peer as ToolName,
    peerWork,
    most: each,
  }));
}

const unchanged = { 'tar-zstd': 2.5, restic: 0.3, borg: 0.15 };
const own = 'strongroom';
const blocks = 'strongroom-blocks';
const targets: readonly Target[] = [
  ...against('backup', [own, 'backup'], 'backup', { 'tar-zstd': 1, restic: 0.4, borg: 0.25 }),
  ...against('none', ['strongroom-none', 'backup'], 'backup', { tar: 1.1 }),
  ...against('blocks', [blocks, 'backup'], 'backup', { restic: 0.45, borg: 0.3 }),
  ...against('blocks', [blocks, 'restore'], 'restore', { restic: 0.45, borg: 0.3 }),
  ...against('blocks', [blocks, 'verify'], 'verify', { restic: 0.5, borg: 0.35 }),
  ...against('unchanged', [own, 'unchanged'], 'unchanged', unchanged),
  ...against('dedup', [blocks, 'dedup'], 'unchanged', unchanged),
  ...against('changed', [own, 'changed'], 'changed', { 'tar-zstd': 2.5, restic: 0.35 }),
  ...against('restore', [own, 'restore'], 'restore', { 'tar-zstd': 1.2, restic: 0.45, borg: 0.3 }),
  ...against('verify', [own, 'verify'], 'verify', { 'tar-zstd': 1.5, restic: 0.5, borg: 0.35 }),
  ...against('stored', [own, 'backup'], 'backup', { 'tar-zstd': 1.05, restic: 0.85 }, 'storedMb'),
  ...against('stored', [blocks, 'backup'], 'backup', { restic: 1.05 }, 'storedMb').map((one) => ({
    ...one,
    trees: ['c'] as const,
  })),
  ...(['strongroom-aes', 'strongroom-age'] as const).flatMap((tool) =>
    (['backup', 'restore'] as const).flatMap((work) =>
      against('encryption', [tool, work], work, { strongroom: 1.15 }),
    ),
  ),
  ...(['backup', 'restore', 'verify'] as const).flatMap((work) =>
    against('encryption', ['strongroom-blocks-aes', work], work, { [blocks]: 1.15 }),
  ),
];

/** Peak memory of this engine in any work. */
const MOST_MB = 300;

/** What has to be measured of a tree for these rows; a backup comes before all else. */
export function neededFor(
  rows: readonly TargetRow[],
  tree: TreeName,
): ReadonlyMap<ToolName, ReadonlySet<Work>> {
  const needed = new Map<ToolName, Set<Work>>();
  const add = (tool: ToolName, work: Work) =>
    needed.set(tool, new Set([...(needed.get(tool) ?? ['backup']), work]));
  for (const target of targets) {
    if (!rows.includes(target.row) || !target.trees.includes(tree)) continue;
    add(target.tool, target.work);
    add(target.peer, target.peerWork);
  }
  return needed;
}

export interface Verdict {
  readonly row: TargetRow;
  readonly tree: TreeName;
  /** Of what, and beside what. */
  readonly what: string;
  /** MB for memory, else times the peer's figure. */
  readonly figure: number;
  readonly most: number;
  /** Seconds of the processor over the peer's: honest while others load the machine; null where it is not about time. */
  readonly cpuRatio: number | null;
  readonly isMet: boolean;
}

/** Each target for which there is a measure. `looser`: what all ratios of time are multiplied with, 1 unless it is another runtime. */
export function verdicts(
  measured: readonly Row[],
  rows: readonly TargetRow[],
  looser: number,
): readonly Verdict[] {
  const found = targets.flatMap((target) =>
    target.trees.flatMap((tree): readonly Verdict[] => {
      const rowOf = (tool: ToolName, work: Work) =>
        measured.find((row) => row.tree === tree && row.tool === tool && row.work === work);
      const mine = rowOf(target.tool, target.work);
      const theirs = rowOf(target.peer, target.peerWork);
      const figure = mine?.[target.figure];
      const its = theirs?.[target.figure];
      if (!rows.includes(target.row) || typeof figure !== 'number' || typeof its !== 'number' || its === 0)
        return [];
      const most = target.figure === 'wallSeconds' ? target.most * looser : target.most;
      const unit = target.figure === 'storedMb' ? 'stored bytes' : 'time';
      const what = `${unit} of ${target.tool} ${target.work} / ${target.peer} ${target.peerWork}`;
      const cpu = (mine?.cpuSeconds ?? 0) / (theirs?.cpuSeconds || Number.NaN);
      const cpuRatio = target.figure === 'wallSeconds' && Number.isFinite(cpu) ? cpu : null;
      return [
        { row: target.row, tree, what, figure: figure / its, most, cpuRatio, isMet: figure / its <= most },
      ];
    }),
  );
  const memory = measured
    .filter(({ tool }) => tool.startsWith('strongroom'))
    .map(({ tree, tool, work, peakMb }): Verdict => {
      const what = `peak MB of ${tool} ${work}`;
      return {
        row: 'memory',
        tree,
        what,
        figure: peakMb,
        most: MOST_MB,
        cpuRatio: null,
        isMet: peakMb <= MOST_MB,
      };
    });
  return [...found, ...(rows.includes('memory') ? memory : [])];
}

export function verdictLine({ tree, row, what, figure, most, cpuRatio, isMet }: Verdict): string {
  const digits = row === 'memory' ? 0 : 2;
  const cells = [tree, row.padEnd(10), what.padEnd(66), figure.toFixed(digits).padStart(6)];
  return `${cells.join('  ')} of ${most.toFixed(digits).padStart(4)}  ${isMet ? 'met   ' : 'MISSED'}${cpuRatio === null ? '' : `  CPU × ${cpuRatio.toFixed(2)}`}`;
}
