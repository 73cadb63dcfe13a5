import { Bell, BellDot } from 'lucide-react';
import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { t, textsOf } from '../texts/index.ts';
import { Button, formatRelative, MeaningIcon, showHidden } from '../ui/index.ts';
import { type KeptNotice, markAllRead, markRead, noticeLog } from './notice-log.ts';
import './notice-centre.css';

const words = textsOf('notices');
const meanings = { info: 'ok', warning: 'warning', error: 'error' } as const;

/** The bell at the end of the status bar, and what was told since the window was opened. */
export function NoticeBell() {
  const unread = useStore(noticeLog, ({ notices }) => notices.filter(({ isUnread }) => isUnread).length);
  const [isOpen, setOpen] = useState(false);
  const bell = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    bell.current?.focus();
  };
  return (
    <span className="bell">
      <button
        ref={bell}
        type="button"
        className="button button-quiet bell-button"
        aria-label={unread === 0 ? words.title : t('notices.unread', { count: unread })}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        title={unread === 0 ? words.title : t('notices.unread', { count: unread })}
        onClick={() => setOpen(!isOpen)}
      >
        {unread === 0 ? <Bell size={14} aria-hidden /> : <BellDot size={14} aria-hidden />}
        {unread > 0 && <span aria-hidden>{unread}</span>}
      </button>
      {isOpen && <Centre onClose={close} onAway={() => setOpen(false)} unread={unread} />}
    </span>
  );
}

function Centre(props: {
  readonly onClose: () => void;
  readonly onAway: () => void;
  readonly unread: number;
}) {
  const notices = useStore(noticeLog, (log) => log.notices);
  const panel = useRef<HTMLDivElement>(null);
  const nowMs = useMinute();
  useEffect(() => panel.current?.focus(), []);
  const { onClose, onAway } = props;
  useEffect(() => {
    const away = (event: PointerEvent) => {
      const isInside = event.target instanceof Node && panel.current?.parentElement?.contains(event.target);
      if (!isInside) onAway();
    };
    document.addEventListener('pointerdown', away);
    return () => document.removeEventListener('pointerdown', away);
  }, [onAway]);
  const onBlur = ({ relatedTarget: to }: FocusEvent) => {
    // Only where the focus went somewhere else: what was clicked may take none, or be gone.
    if (to instanceof Node && !panel.current?.parentElement?.contains(to)) onAway();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // Not the panel of details as well.
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <div
      className="notice-centre"
      role="dialog"
      aria-label={words.title}
      tabIndex={-1}
      ref={panel}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    >
      <div className="notice-centre-head">
        <h2>{words.title}</h2>
        <span className="toolbar-space" />
        <Button
          kind="quiet"
          onClick={() => {
            markAllRead();
            panel.current?.focus();
          }}
          disabledBecause={props.unread === 0 ? words.nothingUnread : null}
        >
          {words.markAllRead}
        </Button>
      </div>
      {notices.length === 0 ? (
        <p className="muted notice-centre-empty">{words.empty}</p>
      ) : (
        <ul className="notice-centre-list">
          {notices.map((notice) => (
            <Line
              key={notice.id}
              notice={notice}
              nowMs={nowMs}
              onDone={props.onClose}
              onRead={() => panel.current?.focus()}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

function Line(props: {
  readonly notice: KeptNotice;
  readonly nowMs: number;
  readonly onDone: () => void;
  /** Its button goes, and with it the focus. */
  readonly onRead: () => void;
}) {
  const { notice } = props;
  const { action } = notice;
  const run = (how: () => void) => {
    markRead(notice.id);
    props.onDone();
    how();
  };
  return (
    <li data-unread={notice.isUnread}>
      <MeaningIcon meaning={meanings[notice.level]} size={16} />
      <div className="notice-centre-text">
        <p className="selectable">
          {notice.isUnread && <span className="visually-hidden">{words.isUnread}</span>}
          {showHidden(notice.message)}
        </p>
        <p className="caption">{formatRelative(notice.atMs, Math.max(props.nowMs, notice.atMs))}</p>
      </div>
      {action !== undefined && (
        <Button kind="quiet" onClick={() => run(action.run)}>
          {action.label}
        </Button>
      )}
      {notice.isUnread && (
        <Button
          kind="quiet"
          onClick={() => {
            markRead(notice.id);
            props.onRead();
          }}
        >
          {words.markRead}
        </Button>
      )}
    </li>
  );
}

function useMinute(): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
