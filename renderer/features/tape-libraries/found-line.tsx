import { type Meaning, MeaningIcon } from '../../ui/index.ts';
import './tape.css';

/** One thing that was found, with its meaning; an alert is read out at once. */
export function Line(props: {
  readonly meaning: Meaning;
  readonly text: string;
  readonly isAlert?: boolean;
}) {
  return (
    <p className="found-line" role={props.isAlert ? 'alert' : undefined}>
      <MeaningIcon meaning={props.meaning} />
      <span className="selectable">{props.text}</span>
    </p>
  );
}
