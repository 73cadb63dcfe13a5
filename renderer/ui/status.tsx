import { CircleAlert, CircleCheck, CircleDashed, CirclePlay, TriangleAlert } from 'lucide-react';
import { showHidden } from './text.ts';

/** Five meanings; each has an icon and a word beside its colour. */
export type Meaning = 'ok' | 'running' | 'warning' | 'error' | 'idle';

const icons = {
  ok: CircleCheck,
  running: CirclePlay,
  warning: TriangleAlert,
  error: CircleAlert,
  idle: CircleDashed,
} as const;

export function MeaningIcon(props: { readonly meaning: Meaning; readonly size?: number }) {
  const Icon = icons[props.meaning];
  return <Icon size={props.size ?? 14} aria-hidden className={`meaning-${props.meaning}`} />;
}

export function StatusBadge(props: { readonly meaning: Meaning; readonly word: string }) {
  return (
    <span className={`badge meaning-${props.meaning}`}>
      <MeaningIcon meaning={props.meaning} />
      {showHidden(props.word)}
    </span>
  );
}
