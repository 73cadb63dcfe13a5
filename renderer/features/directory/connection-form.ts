import {
  type DirectoryConnection,
  directoryProtocols,
  domainTypes,
  usualPorts,
} from '../../../contract/directory/directory.ts';
import { call } from '../../bridge.ts';
import { type FormValues, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { openDialog } from '../../shell/shell-store.ts';

const named = (values: readonly string[]) => values.map((value) => ({ value, label: value }));

const fields = [
  { name: 'domain_type', label: 'Kind of directory', type: 'select', choices: named(domainTypes) },
  {
    name: 'protocol',
    label: 'Protocol',
    type: 'select',
    choices: named(directoryProtocols),
    help: 'ldaps is encrypted. ldap is encrypted as soon as a root certificate is given, otherwise not.',
  },
  { name: 'address', label: 'Address', type: 'text', help: 'Host name or IP address of the controller.' },
  { name: 'port', label: 'Port', type: 'number', help: '636 for ldaps, 389 for ldap.' },
  { name: 'domain', label: 'Domain', type: 'text', help: 'Like example.org, or its short name.' },
  { name: 'login', label: 'Account', type: 'text', help: 'It looks users up; it needs no other right.' },
  { name: 'password', label: 'Password', type: 'password' },
  { name: 'user_search_base', label: 'Users below', type: 'text', help: 'Like OU=People,DC=example,DC=org.' },
  { name: 'group_search_base', label: 'Groups below', type: 'text' },
  {
    name: 'root_cert',
    label: 'Root certificate',
    type: 'textarea',
    help: 'PEM of the authority that signed the certificate of the controller. Empty: the system’s authorities.',
  },
  {
    name: 'client_cert',
    label: 'Client certificate',
    type: 'textarea',
    help: 'PEM with certificate and key, for controllers that ask for one. It has to be given again with each change.',
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
      title: 'Directory connection',
      submitLabel: 'Save',
      summary: 'The controller need not be up now; the first sign-in shows whether it answers.',
      fields,
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
