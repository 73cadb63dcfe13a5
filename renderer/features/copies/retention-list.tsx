import { useState } from 'react';
import type { CopyOutlook } from '../../../contract/repository/retention-preview.ts';
import { KindMark } from '../../shell/kind-mark.tsx';
import { t, textsOf } from '../../texts/index.ts';
import {
  Capped,
  ColumnHead,
  cutMiddle,
  formatBytes,
  formatCount,
  formatExactBytes,
  formatServerTime,
  nameInText,
  StatusBadge,
  showHidden,
} from '../../ui/index.ts';
import { bytesOf, groupsOf, type Outlook, type OutlookGroup } from './outlook.ts';
import { retentionReason } from './retention-reason.ts';

const words = textsOf('retention');
const common = textsOf('common');

/** With few groups all stand open; else those that lose copies. */
const fewGroups = 5;

const choices = ['all', 'kept', 'gone'] as const;
type Shown = (typeof choices)[number];

/** What stays and what goes, by client and resource, each copy with the reason of the server. */
export function RetentionList(props: {
  readonly outlook: Outlook;
  /** Null: now. */
  readonly at: string | null;
  readonly isBusy: boolean;
}) {
  const { copies, total } = props.outlook;
  const [shown, setShown] = useState<Shown>('all');
  /** Groups that a person opened or closed. */
  const [turned, setTurned] = useState<ReadonlyMap<string, boolean>>(new Map());
  const kept = copies.filter((copy) => copy.kept);
  const gone = copies.filter((copy) => !copy.kept);
  const groups = groupsOf(copies).filter(
    (group) => shown === 'all' || (shown === 'kept' ? group.kept > 0 : group.kept < group.copies.length),
  );
  const isFew = groups.length <= fewGroups;
  return (
    <>
      <div className="retention-sum">
        <p role="status" aria-busy={props.isBusy}>
          {thereText(props.at, kept, copies.length)}
          {gone.length > 0 &&
            ` ${t('retention.goes', { count: gone.length, bytes: formatBytes(bytesOf(gone)) })}`}
        </p>
        <select
          className="input filter"
          aria-label={words.shown}
          value={shown}
          onChange={(event) => setShown(event.target.value as Shown)}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {words.choices[choice]}
            </option>
          ))}
        </select>
      </div>
      {total > copies.length && (
        <p className="banner banner-warning">
          {t('retention.firstOnly', { shown: formatCount(copies.length), all: formatCount(total) })}
        </p>
      )}
      <div className="retention-groups">
        {groups.length === 0 && (
          <p className="muted">{shown === 'gone' ? words.nothingGoes : words.nothingStays}</p>
        )}
        {groups.map((group) => (
          <Group
            key={group.key}
            group={group}
            shown={shown}
            isOpen={turned.get(group.key) ?? (isFew || group.kept < group.copies.length)}
            onTurn={(isOpen) => setTurned((before) => new Map(before).set(group.key, isOpen))}
          />
        ))}
      </div>
    </>
  );
}

function thereText(at: string | null, kept: readonly CopyOutlook[], all: number): string {
  const bytes = formatBytes(bytesOf(kept));
  if (at === null) return t('retention.thereNow', { count: kept.length, bytes });
  return t('retention.thereThen', {
    at: showHidden(formatServerTime(at)),
    kept: formatCount(kept.length),
    count: all,
    bytes,
  });
}

function keptText({ kept, copies, keptBytes }: OutlookGroup): string {
  const bytes = formatBytes(keptBytes);
  const count = copies.length;
  if (kept === count) return `${t('common.counts.copies', { count })}, ${bytes}`;
  return t('retention.ofGroup', { kept: formatCount(kept), count, bytes });
}

function Group(props: {
  readonly group: OutlookGroup;
  readonly shown: Shown;
  readonly isOpen: boolean;
  readonly onTurn: (isOpen: boolean) => void;
}) {
  const { group, shown, isOpen } = props;
  const resource = showHidden(group.resource);
  const copies = group.copies.filter((copy) => shown === 'all' || copy.kept === (shown === 'kept'));
  return (
    <details
      open={isOpen}
      className="retention-group"
      onToggle={(event) => event.currentTarget.open !== isOpen && props.onTurn(event.currentTarget.open)}
    >
      <summary>
        <span className="mono retention-resource" title={resource}>
          {cutMiddle(resource, 70)}
        </span>
        <span className="muted">{nameInText(group.client)}</span>
        <span className="retention-count">
          {group.kept === 0 ? <StatusBadge meaning="warning" word={words.noneLeft} /> : keptText(group)}
        </span>
      </summary>
      {isOpen && (
        <table className="retention-table" aria-label={t('retention.copiesOf', { resource })}>
          <thead>
            <tr>
              <ColumnHead>{words.columns.copy}</ColumnHead>
              <ColumnHead>{words.columns.atMoment}</ColumnHead>
              <ColumnHead>{common.type}</ColumnHead>
              <ColumnHead>{common.created}</ColumnHead>
              <ColumnHead className="retention-number">{words.columns.stored}</ColumnHead>
              <ColumnHead>{words.columns.why}</ColumnHead>
            </tr>
          </thead>
          <tbody>
            {copies.map((copy) => (
              <CopyLine key={copy.id} copy={copy} />
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}

function CopyLine({ copy }: { readonly copy: CopyOutlook }) {
  return (
    <tr>
      <td>{copy.id}</td>
      <td>
        <StatusBadge meaning={copy.kept ? 'ok' : 'idle'} word={copy.kept ? words.there : words.gone} />
      </td>
      <td>
        <KindMark kind={copy.backup_type} />
      </td>
      <td>{showHidden(formatServerTime(copy.created))}</td>
      <td className="retention-number" title={formatExactBytes(copy.real_size)}>
        {formatBytes(copy.real_size)}
      </td>
      <td className="selectable">
        <Capped>{showHidden(retentionReason(copy))}</Capped>
        {copy.goes !== null && copy.goes !== copy.store_until && (
          <span className="muted">
            {' '}
            {t('retention.goesAt', { time: showHidden(formatServerTime(copy.goes)) })}
          </span>
        )}
      </td>
    </tr>
  );
}
