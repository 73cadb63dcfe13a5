import type { MediaServer } from '../../../contract/media-servers/media-server.ts';
import { DetailsHead, Facts } from '../../shell/list-screen.tsx';
import { goTo } from '../../shell/shell-store.ts';
import { showIn } from '../../shell/tell.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { Button, formatBytes, showHidden } from '../../ui/index.ts';
import { type Place, type PoolBranch, placeName, type ServerBranch, spaceOf } from './storage-tree.ts';

const words = textsOf('mediaServers');

type Chosen = ServerBranch | PoolBranch | { readonly place: Place };

/** What the chosen line of the tree is, and the way to the list in which it is changed. */
export function BranchDetails(props: { readonly connectionId: string; readonly branch: Chosen }) {
  const { branch, connectionId } = props;
  if ('place' in branch) return <PlaceDetails connectionId={connectionId} place={branch.place} />;
  return (
    <section aria-label={words.tree.details} className="page-section">
      <DetailsHead>{showHidden(branch.name)}</DetailsHead>
      {'pools' in branch ? <ServerFacts branch={branch} /> : <PoolFacts branch={branch} />}
      {'places' in branch && branch.pool !== null && (
        <ShowIn connectionId={connectionId} section="Pools" id={branch.pool.id} />
      )}
    </section>
  );
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

const sections = { folder: 'Storages', device: 'Storages', library: 'Tape libraries' } as const;

function PlaceDetails(props: { readonly connectionId: string; readonly place: Place }) {
  const { connectionId, place } = props;
  const { record, kind } = place;
  const space = spaceOf(place);
  return (
    <section aria-label={words.tree.details} className="page-section">
      <DetailsHead>{showHidden(placeName(place))}</DetailsHead>
      <Facts
        facts={[
          [t('common.type'), words.tree.kinds[kind]],
          [words.state, showHidden(wordFor(textsOf('tapeLibraries').statuses, record.status))],
          [t('common.pool'), showHidden(record.pool)],
          [textsOf('storages').space, space === null ? null : spaceText(space.used, space.total)],
          [t('common.description'), record.description === null ? null : showHidden(record.description)],
        ]}
      />
      {kind === 'device' ? (
        <div>
          <Button onClick={() => goTo({ connectionId, section: sections[kind] })}>
            {t('mediaServers.tree.showIn', { section: textsOf('shell').sections[sections[kind]] })}
          </Button>
        </div>
      ) : (
        <ShowIn connectionId={connectionId} section={sections[kind]} id={record.id} />
      )}
    </section>
  );
}

function ShowIn(props: {
  readonly connectionId: string;
  readonly section: 'Pools' | 'Storages' | 'Tape libraries';
  readonly id: number;
}) {
  const { connectionId, section, id } = props;
  return (
    <div>
      <Button onClick={() => showIn(connectionId, section, id)}>
        {t('mediaServers.tree.showIn', { section: textsOf('shell').sections[section] })}
      </Button>
    </div>
  );
}

const spaceText = (used: number, total: number): string =>
  t('mediaServers.tree.used', { used: formatBytes(used), total: formatBytes(total) });
