import {
  type DirectoryConnection,
  directoryProtocols,
  domainTypes,
  usualPorts,
} from '../../../contract/directory/directory.ts';
import { call } from '../../bridge.ts';
import { type FormValues, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { hasExtension } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { t, textsOf } from '../../texts/index.ts';
import { ConnectionCheck } from './connection-check.tsx';

const directory = textsOf('directory');
const { connection: labels, form: words } = directory;

/** Names of products: the same in every language. */
const kindNames: Readonly<Record<(typeof domainTypes)[number], string>> = { MS_AD: 'Active Directory' };
const kinds = domainTypes.map((value) => ({ value, label: kindNames[value] }));
const named = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

const fields = [
  { name: 'domain_type', label: words.domainType, type: 'select', choices: kinds },
  {
    name: 'protocol',
    label: words.protocol,
    type: 'select',
    choices: named(directoryProtocols),
    help: words.protocolHelp,
  },
  { name: 'address', label: words.address, type: 'text', help: words.addressHelp },
  { name: 'port', label: words.port, type: 'number', help: words.portHelp },
  { name: 'domain', label: labels.domain, type: 'text', help: words.domainHelp },
  { name: 'login', label: words.account, type: 'text', help: words.accountHelp },
  { name: 'password', label: words.password, type: 'password' },
  { name: 'user_search_base', label: labels.usersBelow, type: 'text', help: words.usersBelowHelp },
  { name: 'group_search_base', label: labels.groupsBelow, type: 'text' },
  {
    name: 'root_cert',
    label: words.rootCertificate,
    type: 'textarea',
    help: words.rootCertificateHelp,
  },
  {
    name: 'client_cert',
    label: labels.clientCertificate,
    type: 'textarea',
    help: words.clientCertificateHelp,
  },
] as const;

const bodyOf = (values: FormValues) => ({
  domain_type: 'MS_AD' as const,
  protocol: textOf(values, 'protocol') === 'ldap' ? ('ldap' as const) : ('ldaps' as const),
  address: textOf(values, 'address'),
  port: numberOrNull(values, 'port') ?? 0,
  domain: textOf(values, 'domain'),
  login: textOf(values, 'login'),
  password: String(values.password ?? ''),
  user_search_base: textOf(values, 'user_search_base'),
  group_search_base: textOf(values, 'group_search_base'),
  root_cert: textOrNull(values, 'root_cert'),
  client_cert: textOrNull(values, 'client_cert'),
});

/** The whole connection at once: a server keeps one and never gives its secrets back. */
export function openConnectionForm(
  connectionId: string,
  connection: DirectoryConnection | null,
  onDone: () => void,
): void {
  openDialog({
    kind: 'form',
    form: {
      title: words.title,
      submitLabel: t('common.save'),
      summary: words.summary,
      fields,
      ...(hasExtension(connectionId, 'ldap_check')
        ? {
            aside: (values, onErrors) => (
              <ConnectionCheck
                connectionId={connectionId}
                body={bodyOf(values)}
                fields={fields.map(({ name }) => name)}
                onErrors={onErrors}
              />
            ),
          }
        : {}),
      initial: {
        domain_type: 'MS_AD',
        protocol: connection?.protocol ?? 'ldaps',
        address: connection?.address ?? '',
        port: String(connection?.port ?? usualPorts.ldaps),
        domain: connection?.domain ?? '',
        login: connection?.login ?? '',
        password: '',
        user_search_base: connection?.user_search_base ?? '',
        group_search_base: connection?.group_search_base ?? '',
        root_cert: connection?.root_cert ?? '',
        client_cert: '',
      },
      submit: async (values) => {
        await call(connectionId, 'directory.set', { body: bodyOf(values) });
        onDone();
      },
    },
  });
}
