import type { ConnectionColour } from '../../contract/desktop/connection.ts';

/** The mark that a person gave to a connection. It tells connections apart at a glance and means nothing else. */
export function ColourMark(props: { readonly colour: ConnectionColour }) {
  if (props.colour === 'none') return null;
  return <span className="colour-mark" data-colour={props.colour} aria-hidden />;
}
