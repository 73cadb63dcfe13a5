import type { ReactNode } from 'react';
import type { MediaServer } from '../../../contract/media-servers/media-server.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { goTo } from '../../shell/shell-store.ts';
import { showIn } from '../../shell/tell.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { Button, formatBytes, showHidden } from '../../ui/index.ts';
import {
  type Branch,
  type Place,
  type PoolBranch,
  placeName,
  type ServerBranch,
  spaceOf,
} from './storage-tree.ts';

const words = textsOf('mediaServers');

/** What the chosen line of the tree is; below it what is given. */
export function BranchDetails(props: { readonly branch: Branch; readonly children?: ReactNode }) {
  const { branch } = props;
  return (
    <section aria-label={words.tree.details} className="page-section">
      <DetailsHead>{showHidden('place' in branch ? placeName(branch.place) : branch.name)}</DetailsHead>
      <BranchFacts branch={branch} />
      {props.children}
    </section>
  );
}

function BranchFacts({ branch }: { readonly branch: Branch }) {
  if ('place' in branch) return <PlaceFacts place={branch.place} />;
  return 'pools' in branch ? <ServerFacts branch={branch} /> : <PoolFacts branch={branch} />;
}

/** To where the chosen line stands with all that can be done with it. */
export function BranchWay(props: { readonly connectionId: string; readonly branch: Branch }) {
  const way = wayOf(props.connectionId, props.branch);
  if (way === null) return null;
  return <Button onClick={way.go}>{t('mediaServers.tree.showIn', { section: way.list })}</Button>;
}

/** Null: no list has it. */
function wayOf(
  connectionId: string,
  branch: Branch,
): { readonly list: string; readonly go: () => void } | null {
  const sectionWords = textsOf('shell').sections;
  const inList = (section: 'Pools' | 'Storages' | 'Tape libraries', id: number) => ({
    list: sectionWords[section],
    go: () => showIn(connectionId, section, id),
  });
  if ('pools' in branch) {
    if (branch.server === null) return null;
    const object = { list: 'Media servers', id: branch.server.id, view: 'list' };
    return { list: words.views.list, go: () => goTo({ connectionId, section: 'Media servers', object }) };
  }
  if ('places' in branch) return branch.pool === null ? null : inList('Pools', branch.pool.id);
  const { kind, record } = branch.place;
  switch (kind) {
    case 'folder':
      return inList('Storages', record.id);
    case 'library':
      return inList('Tape libraries', record.id);
    case 'device': {
      const object = { list: 'Block devices', id: record.id, view: 'block' };
      const go = () => goTo({ connectionId, section: 'Storages', object });
      return { list: textsOf('storages').kinds.block, go };
    }
  }
}

const stateWord = ({ online }: MediaServer): string => (online ? words.online : words.offline);

function ServerFacts({ branch }: { readonly branch: ServerBranch }) {
  const { server } = branch;
  return (
    <Facts
      facts={[
        [words.state, server === null ? null : stateWord(server)],
        [words.role, server === null ? null : showHidden(wordFor(words.roles, server.role))],
        [words.address, server?.ip == null ? null : showHidden(server.ip)],
        [words.pools, String(branch.pools.length)],
        [words.version, server?.version == null ? null : showHidden(server.version)],
      ]}
    />
  );
}

function PoolFacts({ branch }: { readonly branch: PoolBranch }) {
  const { pool } = branch;
  return (
    <Facts
      facts={[
        [
          t('common.type'),
          pool === null ? null : showHidden(wordFor(textsOf('pools').types, pool.pool_type)),
        ],
        [words.tree.storages, String(branch.places.length)],
        [textsOf('storages').space, pool === null ? null : spaceText(pool.used_space, pool.total_space)],
        [textsOf('pools').columns.copies, pool === null ? null : String(pool.backups_count)],
      ]}
    />
  );
}

function PlaceFacts({ place }: { readonly place: Place }) {
  const { record, kind } = place;
  const space = spaceOf(place);
  return (
    <Facts
      facts={[
        [t('common.type'), words.tree.kinds[kind]],
        [words.state, showHidden(wordFor(textsOf('tapeLibraries').statuses, record.status))],
        [t('common.pool'), showHidden(record.pool)],
        [textsOf('storages').space, space === null ? null : spaceText(space.used, space.total)],
        [t('common.description'), record.description === null ? null : showHidden(record.description)],
      ]}
    />
  );
}

const spaceText = (used: number, total: number): string =>
  t('mediaServers.tree.used', { used: formatBytes(used), total: formatBytes(total) });
