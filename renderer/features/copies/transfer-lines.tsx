import { ArrowRight } from 'lucide-react';
import type { PoolDestination } from '../../../contract/pools/pool.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { isDamaged } from '../../shell/copy-words.ts';
import { t, textsOf } from '../../texts/index.ts';
import {
  Button,
  formatBytes,
  formatExactBytes,
  type Meaning,
  MeaningIcon,
  showHidden,
} from '../../ui/index.ts';
import { CopyLine } from './copy-line.tsx';
import { obstacleFor, type TransferKind, type TransferOutcome, type TransferPlan } from './transfer-plan.ts';
import { obstacleText, outcomeText, refusalText } from './transfer-texts.ts';

const words = textsOf('transfer');
const shownMost = 50;

interface LineProps {
  readonly kind: TransferKind;
  readonly plan: TransferPlan;
  readonly target: PoolDestination | null;
  readonly tried: TransferOutcome;
  readonly onShowTask: (taskId: number) => void;
}

/** Each copy with what becomes of it, why it stays, or what the server said. */
export function TransferLines(props: LineProps & { readonly copies: readonly Copy[] }) {
  const rest = props.copies.length - shownMost;
  return (
    <ul className="lines selectable" aria-label={words[props.kind].copies}>
      {props.copies.slice(0, shownMost).map((copy) => (
        <Line key={copy.id} {...props} copy={copy} />
      ))}
      {rest > 0 && <li className="muted">{t('copies.andMore', { rest })}</li>}
    </ul>
  );
}

function Line(props: LineProps & { readonly copy: Copy }) {
  const { copy, tried } = props;
  const taskId = tried.begun.get(copy.id);
  const resource = showHidden(copy.resource);
  return (
    <li className="copy-lines">
      <CopyLine copy={copy}>
        <span className="copy-size muted" title={formatExactBytes(copy.size)}>
          {formatBytes(copy.size)}
        </span>
      </CopyLine>
      <span className="muted mono transfer-resource" title={`${resource}, ${showHidden(copy.client)}`}>
        {resource}
      </span>
      {notesOf(props).map(({ meaning, text }) => (
        <span key={text} className="transfer-note">
          {meaning === null ? <ArrowRight size={14} aria-hidden /> : <MeaningIcon meaning={meaning} />}
          <span className="grow-text">{text}</span>
          {taskId !== undefined && (
            <Button label={t('shell.showTaskOf', { id: taskId })} onClick={() => props.onShowTask(taskId)}>
              {t('shell.showTask')}
            </Button>
          )}
        </span>
      ))}
    </li>
  );
}

interface Note {
  /** Null: what happens, neither good nor bad. */
  readonly meaning: Meaning | null;
  readonly text: string;
}

function notesOf(props: LineProps & { readonly copy: Copy }): readonly Note[] {
  const { kind, copy, plan, target, tried } = props;
  const taskId = tried.begun.get(copy.id);
  if (taskId !== undefined) return [{ meaning: 'ok', text: t('transfer.begunLine', { id: taskId }) }];
  const refused = tried.refused.get(copy.id);
  if (refused !== undefined) return [{ meaning: 'error', text: refusalText(refused, copy) }];
  const dependants = plan.dependants.get(copy.id) ?? 0;
  const obstacle = obstacleFor(kind, copy, plan, target);
  if (obstacle !== null) return [{ meaning: 'warning', text: obstacleText(obstacle, copy, dependants) }];
  // The task reads every byte of it and would stumble over what is missing.
  const damaged = isDamaged(copy) ? [{ meaning: 'warning', text: words.damaged } as const] : [];
  if (target === null) return damaged;
  return [{ meaning: null, text: outcomeText(kind, copy, target.pool_name, dependants) }, ...damaged];
}
