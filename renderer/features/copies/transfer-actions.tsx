import type { Copy } from '../../../contract/repository/copy.ts';
import { useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { textsOf } from '../../texts/index.ts';
import { Button } from '../../ui/index.ts';
import { TransferDialog } from './transfer-dialog.tsx';
import { canBeSent, type TransferKind } from './transfer-plan.ts';

const words = textsOf('transfer');
const kinds: readonly TransferKind[] = ['copy', 'move'];

/** "Copy to…" and "Move to…" for the selected copies. */
export function TransferActions(props: { readonly connectionId: string; readonly copies: readonly Copy[] }) {
  const { connectionId, copies } = props;
  const reasonFor = useRights(connectionId);
  const reason = (kind: TransferKind) => {
    if (copies.length === 0) return textsOf('copies').selectFirst;
    const forbidden = reasonFor(`repository.${kind}`) ?? reasonFor('pools.read');
    if (forbidden !== null) return forbidden;
    return copies.some(canBeSent) ? null : words.fullOnly;
  };
  const open = (kind: TransferKind) =>
    openDialog({
      kind: 'own',
      draw: (onClose) => (
        <TransferDialog connectionId={connectionId} kind={kind} copies={copies} onClose={onClose} />
      ),
    });
  return kinds.map((kind) => (
    <Button key={kind} onClick={() => open(kind)} disabledBecause={reason(kind)}>
      {words[kind].ask}
    </Button>
  ));
}
