import { useVirtualizer } from '@tanstack/react-virtual';
import {
  ChevronDown,
  ChevronsDown,
  ChevronsUp,
  ChevronUp,
  CircleAlert,
  Copy,
  Info,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react';
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

/** What stands before and behind the lines of a log that is held only in part, and how it is brought. */
export interface LogRest {
  readonly before: number;
  readonly behind: number;
  readonly onOlder: () => void;
  readonly onNewer: () => void;
  readonly onBegin: () => void;
  readonly onEnd: () => void;
  /** Whether its end is followed; where it is not, lines that are read shall stay. */
  readonly onFollow: (isFollowing: boolean) => void;
}

const { levels } = textsOf('ui').log;
/** So near the first or the last line held, more are asked for. */
const nearPx = 600;
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
  /** Without it the lines are all there are. */
  readonly rest?: LogRest;
}) {
  const { lines, empty = null, rest } = props;
  const before = rest?.before ?? 0;
  const behind = rest?.behind ?? 0;
  const isWhole = before === 0 && behind === 0;
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
    // What is read stays where it is when lines come or go above it.
    anchorTo: 'end',
  });
  // A log at its most lines loses one for each that comes: their number says nothing about its end.
  const last = lines.at(-1)?.id;
  useEffect(() => {
    if (isFollowing && behind === 0 && last !== undefined)
      rows.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [isFollowing, behind, last, lines.length, rows]);
  const onFollow = rest?.onFollow;
  useEffect(() => onFollow?.(isFollowing), [onFollow, isFollowing]);
  const firstError = lines.findIndex((line) => line.level === 'error');
  const jumpToError = () => {
    setFollowing(false);
    rows.scrollToIndex(firstError, { align: 'center' });
  };
  const onScroll = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) => {
    const below = scrollHeight - scrollTop - clientHeight;
    setFollowing(behind === 0 && below < 24);
    if (before > 0 && scrollTop < nearPx) rest?.onOlder();
    if (behind > 0 && below < nearPx) rest?.onNewer();
  };
  return (
    <>
      <div className="log-tools">
        {props.tools}
        <span className="toolbar-space" />
        {firstError >= 0 && (
          <LogTool
            icon={CircleAlert}
            word={t(isWhole ? 'ui.log.firstError' : 'ui.log.firstErrorHere')}
            onClick={jumpToError}
          />
        )}
        <LogTool
          icon={Copy}
          word={t(isWhole ? 'ui.log.copyAll' : 'ui.log.copyHeld')}
          onClick={() => props.onCopy(lines.map(lineText).join('\n'))}
        />
      </div>
      {rest !== undefined && !isWhole && (
        <RestBar
          rest={rest}
          onBegin={() => {
            setFollowing(false);
            rows.scrollToOffset(0);
            rest.onBegin();
          }}
          onEnd={() => {
            setFollowing(true);
            rest.onEnd();
          }}
        />
      )}
      <div
        className="log"
        ref={scroll}
        role="log"
        aria-label={props.label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by the keyboard
        tabIndex={0}
        aria-description={t('ui.log.byKeys')}
        onKeyDown={walkLines}
        onScroll={(event) => onScroll(event.currentTarget)}
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

/** Its word stands in the tooltip alone where the log is narrow: the tools keep to one line, and the lines their room. */
function LogTool(props: { readonly icon: LucideIcon; readonly word: string; readonly onClick: () => void }) {
  const Icon = props.icon;
  return (
    <Button kind="quiet" label={props.word} onClick={props.onClick}>
      <Icon size={16} aria-hidden />
      <span className="log-tool-word">{props.word}</span>
    </Button>
  );
}

/** Says what is not held, and leads there without the pointer too. */
function RestBar(props: {
  readonly rest: LogRest;
  readonly onBegin: () => void;
  readonly onEnd: () => void;
}) {
  const { before, behind, onOlder, onNewer } = props.rest;
  return (
    <div className="log-tools caption">
      <span aria-live="polite">
        {[
          before > 0 && t('ui.log.before', { count: before }),
          behind > 0 && t('ui.log.behind', { count: behind }),
        ]
          .filter((part) => part !== false)
          .join(' · ')}
      </span>
      <span className="toolbar-space" />
      {before > 0 && (
        <>
          <LogTool icon={ChevronsUp} word={t('ui.log.toBegin')} onClick={props.onBegin} />
          <LogTool icon={ChevronUp} word={t('ui.log.older')} onClick={onOlder} />
        </>
      )}
      {behind > 0 && (
        <>
          <LogTool icon={ChevronDown} word={t('ui.log.newer')} onClick={onNewer} />
          <LogTool icon={ChevronsDown} word={t('ui.log.toEnd')} onClick={props.onEnd} />
        </>
      )}
    </div>
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
