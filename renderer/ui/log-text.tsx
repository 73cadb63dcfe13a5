import { t } from '../texts/index.ts';
import { showHidden } from './text.ts';

/** The last lines of a log as plain text. */
export function LogText(props: {
  readonly label: string;
  readonly lines: readonly string[];
  readonly heightPx?: number;
}) {
  return (
    <div
      className="log log-plain selectable"
      role="log"
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by the keyboard
      tabIndex={0}
      style={props.heightPx === undefined ? undefined : { maxHeight: props.heightPx }}
    >
      {props.lines.length === 0 ? t('ui.log.isEmpty') : props.lines.map(showHidden).join('\n')}
    </div>
  );
}
