import type { Client } from '../../../contract/clients/client.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { resourceTypeWord } from '../../shell/resource-words.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { t, textsOf } from '../../texts/index.ts';
import { formatBytes, StatusBadge, showHidden } from '../../ui/index.ts';

const words = textsOf('clients');
const common = textsOf('common');

export const stateWord = (client: Client): string => (client.online ? words.online : words.offline);

export function ClientDetails(props: { readonly client: Client }) {
  const { client } = props;
  return (
    <section aria-label={words.details} className="page-section">
      <DetailsHead>{showHidden(client.hostname)}</DetailsHead>
      <StatusBadge meaning={client.online ? 'ok' : 'idle'} word={stateWord(client)} />
      <Facts
        facts={[
          [
            common.name,
            <span key="name" className="mono">
              {showHidden(client.client_name)}
            </span>,
          ],
          [words.facts.group, showHidden(client.group_id)],
          [
            words.facts.system,
            [client.os_distribution, client.os_type]
              .filter(Boolean)
              .map((text) => showHidden(String(text)))
              .join(', '),
          ],
          [words.facts.version, client.version],
          [words.facts.address, [client.ipv4, client.ipv6].filter(Boolean).join(', ')],
          [words.facts.hardwareAddress, client.mac],
          [
            words.facts.modules,
            client.modules.map((module) => showHidden(resourceTypeWord(module))).join(', '),
          ],
          [words.facts.copies, formatBytes(client.storage_used)],
          [words.facts.limit, limitText(client)],
          [words.facts.mayBackUp, client.client_side_backup ? common.yes : common.no],
          [words.facts.mayRestore, client.client_side_restore ? common.yes : common.no],
          [words.facts.restrictions, client.lrl_flag ? common.yes : common.no],
          [
            words.facts.ownSchedule,
            client.lsf_flag
              ? t('clients.facts.intoPool', {
                  pool: client.ls_pool === null ? '–' : showHidden(client.ls_pool),
                })
              : common.no,
          ],
          [words.facts.lastHeardOf, serverTime(client.last_activity)],
          [common.created, serverTime(client.created)],
          [common.description, client.description === null ? null : showHidden(client.description)],
        ]}
      />
    </section>
  );
}

function limitText({ storage_capacity: size }: Client): string {
  return size === 0 ? common.none : t('clients.facts.limitSize', { size });
}
