import {
  ArchiveRestore,
  CalendarClock,
  CopyPlus,
  FolderInput,
  type LucideIcon,
  ShieldCheck,
  Trash2,
} from 'lucide-react';
import { useStore } from 'zustand';
import type { Copy } from '../../../contract/repository/copy.ts';
import { call } from '../../bridge.ts';
import { useRights } from '../../shell/rights.ts';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { tellFailure, tellTask } from '../../shell/tell.ts';
import { firstReasons, tryEach } from '../../shell/try-each.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, type ListStore } from '../../ui/index.ts';
import { TransferDialog } from './transfer-dialog.tsx';
import { canBeSent, type TransferKind } from './transfer-plan.ts';

const words = textsOf('copies');
const transfer = textsOf('transfer');
const common = textsOf('common');

/** What can be done with the selected copies, in the toolbar and in the menu of a row. */
export function CopyActions(props: { readonly connectionId: string; readonly list: ListStore<Copy> }) {
  const { connectionId, list } = props;
  useStore(list.store);
  const reasonFor = useRights(connectionId);
  const copies = list.selectedRows();
  const [only] = copies;
  const none = copies.length === 0 ? words.selectFirst : null;
  const notOne = copies.length === 1 ? null : words.selectOne;
  const whyStays = (kind: TransferKind) =>
    none ??
    reasonFor(`repository.${kind}`) ??
    reasonFor('pools.read') ??
    (copies.some(canBeSent) ? null : transfer.fullOnly);
  return (
    <>
      <Act
        icon={ShieldCheck}
        word={words.verify}
        onClick={() => tellFailure(verify(connectionId, copies))}
        disabledBecause={none ?? reasonFor('repository.verify')}
      />
      <Act
        icon={ArchiveRestore}
        word={words.restore}
        onClick={() => only !== undefined && openDialog({ kind: 'restore', connectionId, copy: only })}
        disabledBecause={notOne ?? reasonFor('repository.restore')}
      />
      <Act
        icon={CalendarClock}
        word={words.keepUntilAsk}
        onClick={() => only !== undefined && openDialog({ kind: 'keepUntil', connectionId, copy: only })}
        disabledBecause={notOne ?? reasonFor('repository.write')}
      />
      <Act
        icon={CopyPlus}
        word={transfer.copy.ask}
        onClick={() => openTransfer(connectionId, 'copy', copies)}
        disabledBecause={whyStays('copy')}
      />
      <Act
        icon={FolderInput}
        word={transfer.move.ask}
        onClick={() => openTransfer(connectionId, 'move', copies)}
        disabledBecause={whyStays('move')}
      />
      <Act
        icon={Trash2}
        word={common.deleteAsk}
        onClick={() => openDialog({ kind: 'removeCopies', connectionId, copies })}
        disabledBecause={none ?? reasonFor('repository.delete')}
      />
    </>
  );
}

/** Where the words of all do not fit one line, the icon stands for it. */
function Act(props: {
  readonly icon: LucideIcon;
  readonly word: string;
  readonly onClick: () => void;
  readonly disabledBecause: string | null;
}) {
  const { icon: Icon, word } = props;
  return (
    <Button label={word} onClick={props.onClick} disabledBecause={props.disabledBecause}>
      <Icon size={16} aria-hidden className="act-icon" />
      <span className="act-word">{word}</span>
    </Button>
  );
}

function openTransfer(connectionId: string, kind: TransferKind, copies: readonly Copy[]): void {
  openDialog({
    kind: 'own',
    draw: (onClose) => (
      <TransferDialog connectionId={connectionId} kind={kind} copies={copies} onClose={onClose} />
    ),
  });
}

async function verify(connectionId: string, copies: readonly Copy[]): Promise<void> {
  const begun: number[] = [];
  const refused = await tryEach(copies, async ({ id }) => {
    const answer = await call(connectionId, 'repository.verify', { params: { id } });
    begun.push(answer.task_id);
  });
  const last = begun.at(-1);
  if (last !== undefined) tellTask(connectionId, t('copies.verifying', { count: begun.length }), last);
  if (refused.length > 0) {
    const head = t('copies.notVerified', { refused: refused.length, all: copies.length });
    const reasons = firstReasons(refused, ({ row, reason }) => t('copies.refused', { id: row.id, reason }));
    showNotice({ level: 'error', message: `${head} ${reasons}` });
  }
}
