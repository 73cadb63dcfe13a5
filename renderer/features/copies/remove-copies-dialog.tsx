import { OctagonAlert } from 'lucide-react';
import { useState } from 'react';
import type { Copy } from '../../../contract/repository/copy.ts';
import { call, callerOf, ProblemError } from '../../bridge.ts';
import { verificationMeaning, verificationWord } from '../../shell/copy-words.ts';
import { type Failed, removedText, removeWhatCanGo } from '../../shell/remove-rows.ts';
import { AskFailure, useAsked } from '../../shell/use-asked.tsx';
import { forgetInList } from '../../shell/use-list.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Rich } from '../../texts/rich.tsx';
import {
  Checkbox,
  cutMiddle,
  Dialog,
  formatBytes,
  LoadingRows,
  StatusBadge,
  showHidden,
} from '../../ui/index.ts';
import { CopyLine } from './copy-line.tsx';
import { lossText, totalText } from './copy-texts.ts';
import { planRemoval, type Remainder, type RemovalPlan } from './removal-plan.ts';
import './copies.css';

const words = textsOf('copies').removal;
const common = textsOf('common');
const shownMost = 50;

/** Asks before copies go: what goes with them, what is freed, what stays. The last of a resource needs a second yes. */
export function RemoveCopiesDialog(props: {
  readonly connectionId: string;
  readonly copies: readonly Copy[];
  readonly onClose: () => void;
}) {
  const { connectionId, copies, onClose } = props;
  const asked = useAsked(
    (signal) => planRemoval(callerOf(connectionId), copies, signal),
    [connectionId, copies],
  );
  const { answer: plan, failure } = asked;
  const [isUnderstood, setUnderstood] = useState(false);
  const [stayed, setStayed] = useState<readonly Failed[]>([]);
  const { isBusy, problem, submit } = useSubmit(async () => {
    // Exactly what is shown: a server that leaves nothing without its base wants them named, and one that takes
    // dependants by itself takes none that was not seen.
    const parts = partsOf([...copies, ...(plan?.also ?? [])], plan?.unknown ?? []);
    const failed = await removeWhatCanGo(parts, (ids) =>
      call(connectionId, 'repository.deleteMany', { body: { ids } }),
    );
    const asked = parts.flat();
    const gone = asked.filter((id) => !failed.some((one) => one.id === id));
    await forgetInList(connectionId, 'Copies', gone);
    if (failed.length === 0) return;
    setStayed(failed);
    throw new ProblemError({ kind: 'refused', message: removedText(gone.length, asked.length) });
  }, onClose);
  const lost = plan?.remainders.filter((one) => !one.isUsable) ?? [];
  const reason = () => {
    if (failure !== null) return words.unknown;
    if (plan === null) return words.looking;
    // Another try needs another look at what goes with what is left.
    if (stayed.length > 0) return words.closeFirst;
    return lost.length > 0 && !isUnderstood ? words.tickFirst : null;
  };
  return (
    <Dialog
      title={words.title}
      submitLabel={common.deleteNow}
      onSubmit={submit}
      onClose={onClose}
      isDestructive
      isBusy={isBusy}
      problem={problem}
      submitDisabledBecause={reason()}
      cancelLabel={stayed.length > 0 ? common.close : common.cancel}
      summary={plan === null ? words.cannotUndo : <Total copies={copies} plan={plan} />}
    >
      {stayed.length > 0 && <Stayed failed={stayed} />}
      <CopyNames label={words.asked} copies={copies} />
      {plan === null && failure === null && <LoadingRows rows={3} />}
      <AskFailure asked={asked} what={words.unknown} />
      {plan !== null && plan.also.length + plan.unknown.length > 0 && (
        <>
          <h3>{t('copies.removal.goesWith', { count: plan.also.length + plan.unknown.length })}</h3>
          <CopyNames label={words.also} copies={plan.also} unknown={plan.unknown} />
        </>
      )}
      {plan !== null && <Remainders remainders={plan.remainders} />}
      {lost.length > 0 && (
        <Checkbox
          label={t('copies.removal.understand', { count: lost.length })}
          checked={isUnderstood}
          onChange={setUnderstood}
        />
      )}
    </Dialog>
  );
}

/**
 * What can go by itself: a chain, or all where it is not known which chain a copy belongs to. The oldest come first: where a
 * server keeps the last copy of something, that is the newest.
 */
function partsOf(copies: readonly Copy[], unknown: readonly number[]): readonly (readonly number[])[] {
  const ids = copies.map((copy) => copy.id);
  if (unknown.length > 0) return [[...ids, ...unknown]];
  const chains = new Map<number, number[]>();
  for (const { id, chain_id } of copies) {
    const chain = chain_id ?? id;
    chains.set(chain, [...(chains.get(chain) ?? []), id]);
  }
  return [...chains].sort(([left], [right]) => left - right).map(([, chain]) => chain);
}

function Stayed(props: { readonly failed: readonly Failed[] }) {
  const { failed } = props;
  return (
    <>
      <h3>{words.stayed}</h3>
      <ul className="lines selectable" aria-label={words.stayed}>
        {failed.slice(0, shownMost).map(({ id, reason }) => (
          <li key={id}>
            {t('copies.named', { id })}: {showHidden(reason)}
          </li>
        ))}
        {failed.length > shownMost && (
          <li className="muted">{t('copies.andMore', { rest: failed.length - shownMost })}</li>
        )}
      </ul>
    </>
  );
}

function Total(props: { readonly copies: readonly Copy[]; readonly plan: RemovalPlan }) {
  const { copies, plan } = props;
  const count = copies.length + plan.also.length + plan.unknown.length;
  const bytes = formatBytes(plan.freedBytes);
  return (
    <>
      <strong>{totalText(count, bytes, plan.unknown.length)}</strong> {words.cannotUndo}
    </>
  );
}

function CopyNames(props: {
  readonly label: string;
  readonly copies: readonly Copy[];
  readonly unknown?: readonly number[];
}) {
  const { copies, unknown = [] } = props;
  const rest = copies.length + unknown.length - shownMost;
  return (
    <ul className="lines selectable" aria-label={props.label}>
      {copies.slice(0, shownMost).map((copy) => (
        <li key={copy.id} className="copy-lines">
          <CopyLine copy={copy}>
            <span className="copy-size muted">{formatBytes(copy.real_size)}</span>
          </CopyLine>
          <CopyOf copy={copy} />
        </li>
      ))}
      {unknown.slice(0, Math.max(0, shownMost - copies.length)).map((id) => (
        <li key={id}>{t('copies.named', { id })}</li>
      ))}
      {rest > 0 && <li className="muted">{t('copies.andMore', { rest })}</li>}
    </ul>
  );
}

/** Of what and of whom, cut where it is long. */
function CopyOf(props: { readonly copy: Pick<Copy, 'resource' | 'client'> }) {
  const resource = showHidden(props.copy.resource);
  const client = showHidden(props.copy.client);
  return (
    <span className="grow muted" title={`${resource}, ${client}`}>
      <Rich
        text="copies.resourceOf"
        parts={{
          resource: <span className="mono">{cutMiddle(resource, 44)}</span>,
          client,
        }}
      />
    </span>
  );
}

/** What is lost comes first and in the strongest way; then what stays of the others. */
function Remainders(props: { readonly remainders: readonly Remainder[] }) {
  const lost = props.remainders.filter((one) => !one.isUsable);
  const kept = props.remainders.filter((one) => one.isUsable);
  return (
    <>
      {lost.length > 0 && (
        <div className="banner banner-loss" role="alert">
          <OctagonAlert size={20} aria-hidden />
          <ul>
            {lost.slice(0, shownMost).map((one) => (
              <li key={`${one.client} ${one.resource}`}>
                {lossText({ ...one, isAllGone: one.newest === null })}
              </li>
            ))}
            {lost.length > shownMost && <li>{t('copies.andMore', { rest: lost.length - shownMost })}</li>}
          </ul>
        </div>
      )}
      {kept.length > 0 && (
        <>
          <h3>{words.whatStays}</h3>
          <ul className="lines selectable" aria-label={words.whatStays}>
            {kept.slice(0, shownMost).map((one) => (
              <Kept key={`${one.client} ${one.resource}`} remainder={one} />
            ))}
            {kept.length > shownMost && (
              <li className="muted">{t('copies.andMore', { rest: kept.length - shownMost })}</li>
            )}
          </ul>
        </>
      )}
    </>
  );
}

function Kept(props: { readonly remainder: Remainder }) {
  const { newest, resource, client } = props.remainder;
  if (newest === null) return null;
  return (
    <li className="copy-lines">
      <CopyLine copy={newest}>
        <span className="copy-size">
          <StatusBadge meaning={verificationMeaning(newest.status)} word={verificationWord(newest.status)} />
        </span>
      </CopyLine>
      <CopyOf copy={{ resource, client }} />
    </li>
  );
}
