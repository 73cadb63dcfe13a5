import type { Method } from '../../../contract/endpoint.ts';
import type { Role } from '../../../contract/permissions.ts';

/**
 * Who may do what, typed a second time and by address instead of by name of a right, so that a mistake in the
 * product's own table is found. Letters: r = read, w = create and change, d = delete, x = run.
 */
type Letters = { readonly [R in Role]: string };

const everyone = (letters: string): Letters => ({
  superuser: letters,
  supervisor: letters,
  maintainer: letters,
  administrator: letters,
  auditor: letters,
});
const line = (
  superuser: string,
  supervisor: string,
  maintainer: string,
  administrator: string,
  auditor: string,
): Letters => ({ superuser, supervisor, maintainer, administrator, auditor });

const infrastructure = line('rwd', 'rwd', 'rwd', 'r', 'r');
const tapes = line('rwdx', 'rwdx', 'rwdx', 'r', 'r');

/** The first entry whose address matches holds. `letter` is what a call needs when the method does not tell it. */
const table: readonly {
  readonly path: RegExp;
  readonly letters: Letters;
  readonly method?: Method;
  readonly letter?: string;
}[] = [
  { path: /^\/auth\/ldap\//, letters: line('rwd', 'r', '', '', 'r') },
  { path: /^\/auth\/(logout|permissions)$/, letters: everyone('rwd') },
  { path: /^\/(extensions|events)$/, letters: everyone('r') },

  { path: /^\/strategy_rules/, letters: line('rwd', 'rwd', 'r', 'rwd', 'r') },
  { path: /^\/clients\/tree$/, letters: line('r', 'r', 'r', 'r', 'r'), letter: 'r' },
  { path: /^\/clients/, letters: line('rwd', 'rwd', 'r', 'rw', 'r') },
  { path: /^\/task_queue/, letters: line('rwd', 'rwd', 'rwd', 'rwd', 'r') },
  {
    path: /^\/tasks\/(restart$|[^/]+\/(pause|continue|kill)$)/,
    letters: line('x', 'x', 'x', 'x', ''),
    letter: 'x',
  },
  { path: /^\/tasks/, letters: line('rwd', 'rwd', 'rwd', 'rwd', 'r') },
  { path: /^\/pools/, letters: infrastructure },
  { path: /^\/repository\/deletion_reference_chain$/, letters: line('r', 'r', 'r', 'r', 'r'), letter: 'r' },
  {
    path: /^\/repository\/[^/]+\/(copying|moving|verification)$/,
    letters: line('x', 'x', 'x', 'x', ''),
    letter: 'x',
  },
  { path: /^\/repository\/[^/]+\/restoring$/, letters: line('x', 'x', '', 'x', ''), letter: 'x' },
  { path: /^\/repository/, letters: line('rwd', 'rwd', 'r', 'rwd', 'r') },
  { path: /^\/client_bandwidth/, letters: line('rwd', 'rwd', 'r', 'rwd', 'r') },
  { path: /^\/dynamic_pool_groups(_records)?/, letters: infrastructure },
  { path: /^\/tape_libraries\/(tree|candidates\/info)$/, letters: tapes, letter: 'r' },
  { path: /^\/tape_libraries\/[^/]+\/(sync|move)$/, letters: tapes, letter: 'x' },
  { path: /^\/(tape_libraries|scsi_portals|virtual_libraries|cartridges)/, letters: tapes },
  { path: /^\/(storage_local_catalogs|storage_block_devices|media_servers)/, letters: infrastructure },
  { path: /^\/auditors/, letters: line('rwd', 'r', '', '', 'r') },
  { path: /^\/global_configuration/, letters: line('rw', 'rw', 'r', '', 'r') },

  { path: /^\/catalogue_copy$/, letters: line('rw', 'rw', '', '', '') },
  { path: /^\/users/, letters: line('rwd', 'r', '', '', 'r') },
  { path: /^\/strategies/, letters: line('rwd', 'rwd', 'r', 'r', 'r') },
  { path: /^\/client_groups/, letters: line('rwd', 'rwd', 'r', 'r', 'r') },
  { path: /^\/statistics$/, letters: everyone('r') },
  { path: /^\/audit_log$/, letters: line('r', 'r', '', '', 'r') },
];

const letterOf: { readonly [M in Method]: string } = { GET: 'r', POST: 'w', PATCH: 'w', DELETE: 'd' };

/** True or false for each role; undefined when the table has no line for the address. */
export function mayCall(role: Role, method: Method, path: string): boolean | undefined {
  const found = table.find((entry) => entry.path.test(path) && (entry.method ?? method) === method);
  return found?.letters[role].includes(found.letter ?? letterOf[method]);
}
