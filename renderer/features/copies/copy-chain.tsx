import { useMemo } from 'react';
import type { Copy } from '../../../contract/repository/copy.ts';
import { callerOf } from '../../bridge.ts';
import { verificationMeaning, verificationWord } from '../../shell/copy-words.ts';
import { KindMark } from '../../shell/kind-mark.tsx';
import { ServerTime } from '../../shell/server-time.tsx';
import { useAnswer } from '../../shell/use-answer.ts';
import { t, textsOf } from '../../texts/index.ts';
import {
  FailedState,
  formatBytes,
  formatExactBytes,
  LoadingRows,
  MeaningIcon,
  StatusBadge,
} from '../../ui/index.ts';
import { type ChainLink, type ChainPart, loadChain } from './chain-plan.ts';
import { chainText } from './copy-texts.ts';
import './copies.css';

const words = textsOf('copies').chain;

const watch = { kinds: ['repository'], pollMs: 60_000, settleMs: 1000 } as const;

/** All copies that build on one another, from the full one on. */
export function CopyChain(props: { readonly connectionId: string; readonly copy: Copy }) {
  const { connectionId, copy } = props;
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the copy only its place in the chain matters
  const load = useMemo(
    () => (signal: AbortSignal) => loadChain(callerOf(connectionId), copy, signal),
    [connectionId, copy.id, copy.chain_id, copy.reference_id],
  );
  const { value, problem, reload } = useAnswer(connectionId, load, watch);
  if (value === null && problem !== null) {
    return (
      <FailedState what={words.notShown} reason={problem.reason} since={problem.since} onRetry={reload} />
    );
  }
  if (value === null) return <LoadingRows rows={3} />;
  const needed = value.links.filter(({ part }) => part === 'needed').length;
  const dependent = value.links.filter(({ part }) => part === 'dependent').length;
  return (
    <div className="page-section chain-scroll">
      <p className="muted">{chainText(needed, dependent)}</p>
      <ol className="chain" aria-label={words.label}>
        {value.links.map((link) => (
          <Link key={link.copy.id} link={link} />
        ))}
      </ol>
      {value.more > 0 && <p className="caption">{t('copies.andMore', { rest: value.more })}</p>}
    </div>
  );
}

const partWords: Readonly<Record<ChainPart, string | null>> = { ...words.parts, beside: null };

function Link(props: { readonly link: ChainLink }) {
  const { copy, part, buildsOn, isBaseMissing } = props.link;
  const word = partWords[part];
  return (
    <li className={`chain-link chain-${part}`} aria-current={part === 'selected' ? 'true' : undefined}>
      <span className="chain-line">
        <strong>
          <KindMark kind={copy.backup_type} />
        </strong>
        <span className="muted">{t('copies.copy', { id: copy.id })}</span>
        {word !== null && <span className={`chain-part chain-part-${part}`}>{word}</span>}
        <span className="chain-state">
          <StatusBadge meaning={verificationMeaning(copy.status)} word={verificationWord(copy.status)} />
        </span>
      </span>
      <span className="chain-line muted">
        <span>
          <ServerTime text={copy.created} />
        </span>
        <span className="chain-state" title={formatExactBytes(copy.size)}>
          {formatBytes(copy.size)},{' '}
          <span title={formatExactBytes(copy.real_size)}>
            {t('copies.storedSize', { size: formatBytes(copy.real_size) })}
          </span>
        </span>
      </span>
      {buildsOn !== null && !isBaseMissing && (
        <span className="caption">{t('copies.chain.buildsOn', { id: buildsOn })}</span>
      )}
      {isBaseMissing && (
        <span className="badge meaning-error">
          <MeaningIcon meaning="error" /> {t('copies.chain.baseMissing', { id: String(copy.reference_id) })}
        </span>
      )}
    </li>
  );
}
