import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { serverTimeOf } from '../../shell/server-time-of.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, formatServerTime, TextField } from '../../ui/index.ts';
import { dayMs, momentOf, serverTextOf } from './moments.ts';
import type { Horizon } from './outlook.ts';
import './retention.css';

const words = textsOf('retention');

/** The moment that is looked at: by the day with the slider, to the second in the field, or from change to change. */
export function RetentionTime(props: {
  readonly horizon: Horizon;
  readonly atMs: number;
  /** Why the server does not answer for this moment. */
  readonly error: string | null;
  /** Null: now. */
  readonly onChange: (momentMs: number | null) => void;
}) {
  const { horizon, atMs, onChange } = props;
  const { nowMs, endMs, changes } = horizon;
  const sliderId = useId();
  const days = Math.ceil((endMs - nowMs) / dayMs);
  const day = Math.max(0, Math.min(days, Math.round((atMs - nowMs) / dayMs)));
  const shown = formatServerTime(serverTextOf(atMs));
  /** What stands in the field while somebody types; null: what was chosen otherwise. */
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? shown;
  const choose = (momentMs: number | null): void => {
    setTyped(null);
    onChange(momentMs);
  };
  const fieldError = text === shown ? null : whyNoMoment(text, nowMs);
  const next = changes.find((ms) => ms > atMs);
  const previous = changes.findLast((ms) => ms < atMs);
  const later = daysLater(day);
  return (
    <section className="retention-time" aria-label={words.moment}>
      <div className="retention-field">
        <TextField
          label={words.dateAndTime}
          value={text}
          help={words.localTime}
          error={fieldError ?? props.error ?? undefined}
          onChange={(value) => {
            setTyped(value);
            const ms = momentOf(serverTimeOf(value));
            if (ms !== null && ms >= nowMs - graceMs) onChange(ms <= nowMs ? null : ms);
          }}
        />
      </div>
      <div className="retention-slider">
        <label htmlFor={sliderId}>
          {words.ahead} <span className="muted">{later}</span>
        </label>
        <input
          id={sliderId}
          type="range"
          min={0}
          max={days}
          step={1}
          value={day}
          aria-valuetext={`${shown}, ${later}`}
          onChange={(event) => {
            const chosen = Number(event.target.value);
            choose(chosen === 0 ? null : nowMs + chosen * dayMs);
          }}
        />
        <Changes horizon={horizon} />
      </div>
      <div className="retention-steps">
        <Button
          onClick={() => choose(null)}
          disabledBecause={atMs <= nowMs && typed === null ? words.isNow : null}
        >
          {words.now}
        </Button>
        <Button
          onClick={() => choose(previous ?? null)}
          disabledBecause={previous === undefined ? words.noEarlier : null}
        >
          <ChevronLeft size={16} aria-hidden />
          {words.changeBefore}
        </Button>
        <Button
          onClick={() => next !== undefined && choose(next)}
          disabledBecause={next === undefined ? words.noLater : null}
        >
          {words.nextChange}
          <ChevronRight size={16} aria-hidden />
        </Button>
      </div>
    </section>
  );
}

/** A second of grace: the field shows no parts of one. */
const graceMs = 1000;

function whyNoMoment(text: string, nowMs: number): string | null {
  const typedMs = momentOf(serverTimeOf(text));
  if (typedMs === null) return words.noMoment;
  return typedMs < nowMs - graceMs ? words.past : null;
}

/** Where copies go, below the slider. */
function Changes({ horizon }: { readonly horizon: Horizon }) {
  const { nowMs, endMs, changes } = horizon;
  const share = (ms: number): number => Math.round(((ms - nowMs) / (endMs - nowMs)) * 1000) / 10;
  // More marks than that are one bar to the eye.
  const places = [...new Set(changes.map(share))].slice(0, 400);
  return (
    <div className="retention-changes" aria-hidden>
      {places.map((place) => (
        <span key={place} style={{ left: `${place}%` }} />
      ))}
    </div>
  );
}

function daysLater(day: number): string {
  return day === 0 ? words.laterNow : t('retention.later', { count: day });
}
