import { useState } from 'react';
import type { CopyOutlook } from '../../../contract/repository/retention-preview.ts';
import { KindMark } from '../../shell/kind-mark.tsx';
import {
  counted,
  cutMiddle,
  formatBytes,
  formatServerTime,
  StatusBadge,
  showHidden,
} from '../../ui/index.ts';
import { words } from './copy-texts.ts';
import { bytesOf, groupsOf, type Outlook, type OutlookGroup } from './outlook.ts';

/** With few groups all stand open; else those that lose copies. */
const fewGroups = 5;

type Shown = 'all' | 'kept' | 'gone';

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
          {props.at === null
            ? words.thereNow(kept.length, formatBytes(bytesOf(kept)))
            : words.thereThen(
                showHidden(formatServerTime(props.at)),
                kept.length,
                copies.length,
                formatBytes(bytesOf(kept)),
              )}
          {gone.length > 0 && ` ${words.goes(gone.length, formatBytes(bytesOf(gone)))}`}
        </p>
        <select
          className="input filter"
          aria-label="Shown copies"
          value={shown}
          onChange={(event) => setShown(event.target.value as Shown)}
        >
          <option value="all">All copies</option>
          <option value="kept">What stays</option>
          <option value="gone">What goes</option>
        </select>
      </div>
      {total > copies.length && (
        <p className="banner banner-warning">{words.firstOnly(copies.length, total)}</p>
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
        <span className="muted">{showHidden(group.client)}</span>
        <span className="retention-count">
          {group.kept === 0 ? (
            <StatusBadge meaning="warning" word={words.noneLeft} />
          ) : (
            words.ofGroup(group.kept, group.copies.length, formatBytes(group.keptBytes))
          )}
        </span>
      </summary>
      {isOpen && (
        <table className="retention-table" aria-label={`Copies of ${resource}`}>
          <thead>
            <tr>
              <th scope="col">Copy</th>
              <th scope="col">Then</th>
              <th scope="col">Type</th>
              <th scope="col">Created</th>
              <th scope="col" className="retention-number">
                Stored
              </th>
              <th scope="col">Why</th>
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
        <StatusBadge meaning={copy.kept ? 'ok' : 'idle'} word={copy.kept ? 'there' : 'gone'} />
      </td>
      <td>
        <KindMark kind={copy.backup_type} />
      </td>
      <td>{showHidden(formatServerTime(copy.created))}</td>
      <td className="retention-number" title={counted(copy.real_size, 'byte')}>
        {formatBytes(copy.real_size)}
      </td>
      <td className="selectable">
        {showHidden(copy.reason)}
        {copy.goes !== null && copy.goes !== copy.store_until && (
          <span className="muted"> {words.goesAt(showHidden(formatServerTime(copy.goes)))}</span>
        )}
      </td>
    </tr>
  );
}
