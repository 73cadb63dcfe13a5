import { useVirtualizer } from '@tanstack/react-virtual';
import { CircleAlert, Copy, Info, TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { t, textsOf, wordFor } from '../texts/index.ts';
import { Button } from './button.tsx';
import { formatServerTime } from './format.ts';
import { showHidden } from './text.ts';

export interface LogLine {
  readonly id: number;
  readonly time: string;
  readonly level: string;
  readonly message: string;
}

const { levels } = textsOf('ui').log;
const icons = { error: CircleAlert, warning: TriangleAlert } as const;

/** Lines of a log, oldest first. It follows the end until somebody scrolls up. */
export function LogView(props: {
  readonly label: string;
  readonly lines: readonly LogLine[];
  readonly onCopy: (text: string) => void;
  /** What stands in place of lines while there are none. */
  readonly empty?: string | null;
  /** At the left of what can be done with the lines. */
  readonly tools?: ReactNode;
}) {
  const { lines, empty = null } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => 20,
    overscan: 20,
    // The kit draws with React's own rhythm; drawing at once is refused inside an effect.
    useFlushSync: false,
    getItemKey: (index) => lines[index]?.id ?? index,
  });
  // A log at its most lines loses one for each that comes: their number says nothing about its end.
  const last = lines.at(-1)?.id;
  useEffect(() => {
    if (isFollowing && last !== undefined) rows.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [isFollowing, last, lines.length, rows]);
  const firstError = lines.findIndex((line) => line.level === 'error');
  const jumpToError = () => {
    setFollowing(false);
    rows.scrollToIndex(firstError, { align: 'center' });
  };
  return (
    <>
      <div className="log-tools">
        {props.tools}
        <span className="toolbar-space" />
        {firstError >= 0 && (
          <Button kind="quiet" onClick={jumpToError}>
            {t('ui.log.firstError')}
          </Button>
        )}
        <Button kind="quiet" onClick={() => props.onCopy(lines.map(lineText).join('\n'))}>
          {t('ui.log.copyAll')}
        </Button>
      </div>
      <div
        className="log"
        ref={scroll}
        role="log"
        aria-label={props.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by the keyboard
        tabIndex={0}
        aria-description={t('ui.log.byKeys')}
        onKeyDown={walkLines}
        onScroll={(event) => {
          const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
          setFollowing(scrollHeight - scrollTop - clientHeight < 24);
        }}
      >
        {lines.length === 0 && empty !== null && <p className="log-empty">{empty}</p>}
        <div className="log-body" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((item) => {
            const line = lines[item.index];
            if (line === undefined) return null;
            const Icon = icons[line.level as keyof typeof icons] ?? Info;
            return (
              <div
                key={item.key}
                data-index={item.index}
                ref={rows.measureElement}
                className="log-line"
                style={{
                  position: 'absolute',
                  top: 0,
                  left: 0,
                  right: 0,
                  transform: `translateY(${item.start}px)`,
                }}
              >
                <Icon
                  size={12}
                  aria-label={showHidden(wordFor(levels, line.level))}
                  className={meaningOf(line.level)}
                />
                <span className="log-time">{formatServerTime(line.time)}</span>
                <span className="log-text">{showHidden(line.message)}</span>
                <span className="log-copy">
                  {/* One tab stop for the log; its own keys lead to its lines. */}
                  <button
                    type="button"
                    className="button button-quiet"
                    tabIndex={-1}
                    aria-label={t('ui.log.copyLine')}
                    title={t('ui.log.copyLine')}
                    onClick={() => props.onCopy(lineText(line))}
                  >
                    <Copy size={12} aria-hidden />
                  </button>
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

/** Enter goes from the log to its first line in view, up and down to its neighbours, Escape back. */
function walkLines(event: KeyboardEvent<HTMLElement>): void {
  const log = event.currentTarget;
  const lines = [...log.querySelectorAll<HTMLElement>('.log-copy > button')];
  const at = lines.indexOf(document.activeElement as HTMLElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { top } = log.getBoundingClientRect();
  const next = () => {
    if (at < 0)
      return event.key === 'Enter' ? lines.find((one) => one.getBoundingClientRect().top >= top) : null;
    if (event.key === 'Escape') return log;
    return step === undefined ? null : lines[at + step];
  };
  const target = next();
  if (target == null) return;
  event.preventDefault();
  event.stopPropagation();
  target.focus();
}

function lineText(line: LogLine): string {
  return `${line.time} ${line.level} ${line.message}`;
}

function meaningOf(level: string): string {
  if (level === 'error') return 'meaning-error';
  return level === 'warning' ? 'meaning-warning' : 'meaning-idle';
}
