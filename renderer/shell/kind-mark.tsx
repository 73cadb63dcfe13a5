import { cutMiddle, showHidden } from '../ui/index.ts';
import { kindWord, shortKindWord } from './copy-words.ts';

const shapes: Readonly<Record<string, string>> = { full: 'full', differential: 'half', incremental: 'thin' };

/** How much a copy holds, as a shape beside its word. A kind that is not known has the word alone. */
export function KindMark(props: { readonly kind: string; readonly isShort?: boolean }) {
  const { kind, isShort = false } = props;
  const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  const whole = kindWord(kind);
  const word = isShort ? shortKindWord(kind) : whole;
  // Servers may call theirs anything.
  const shown = cutMiddle(word, 40);
  return (
    <span className="badge" title={word === whole && shown === whole ? undefined : showHidden(whole)}>
      {shape !== undefined && <span className={`kind-mark kind-${shape}`} aria-hidden />}
      {showHidden(shown)}
    </span>
  );
}
