import { showHidden } from './text.ts';

/**
 * A path in one line. Where it is too long its beginning is cut: its last parts tell the most. It is one text, so that
 * it is whole for whoever copies it, searches it or hears it.
 */
export function PathText(props: { readonly text: string }) {
  return (
    <span className="mono path">
      <bdi dir="ltr">{showHidden(props.text)}</bdi>
    </span>
  );
}
