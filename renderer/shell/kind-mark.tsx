import { showHidden } from '../ui/index.ts';

const shapes: Readonly<Record<string, string>> = { full: 'full', differential: 'half', incremental: 'thin' };
const shortWords: Readonly<Record<string, string>> = { differential: 'diff', incremental: 'incr' };

/** How much a copy holds, as a shape beside its word. A kind that is not known has the word alone. */
export function KindMark(props: { readonly kind: string; readonly isShort?: boolean }) {
  const { kind, isShort = false } = props;
  const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  const word = isShort && Object.hasOwn(shortWords, kind) ? (shortWords[kind] ?? kind) : kind;
  return (
    <span className="badge" title={word === kind ? undefined : showHidden(kind)}>
      {shape !== undefined && <span className={`kind-mark kind-${shape}`} aria-hidden />}
      {showHidden(word)}
    </span>
  );
}
