import { Plus } from 'lucide-react';
import { Button } from '../ui/index.ts';
import { useRights } from './rights.ts';
import { tellFailure } from './tell.ts';

/** At the right of a toolbar: opens the dialog that makes a new object. */
export function NewButton(props: {
  readonly connectionId: string;
  readonly permission: string;
  readonly label: string;
  readonly open: () => Promise<void>;
}) {
  const reasonFor = useRights(props.connectionId);
  return (
    <Button
      kind="primary"
      onClick={() => tellFailure(props.open())}
      disabledBecause={reasonFor(props.permission)}
    >
      <Plus size={16} aria-hidden />
      {props.label}
    </Button>
  );
}
