/** Examples of bodies and answers, made from their JSON schemas so that each has the form that it shows. */

export type Json = { readonly [key: string]: unknown };

const time = '2030-01-31T23:59:59';

/** What a field of this name holds in practice. A value that does not fit the field's schema is not used. */
const fieldExamples: Readonly<Record<string, readonly unknown[]>> = {
  access_token: ['eyJhbGciOiJIUzI1NiJ9.eyJ0eXBlIjoiYWNjZXNzIn0.c2lnbmF0dXJl'],
  refresh_token: ['eyJhbGciOiJIUzI1NiJ9.eyJ0eXBlIjoicmVmcmVzaCJ9.c2lnbmF0dXJl'],
  csrf_token: ['Zm9yIHRoaXMgc2Vzc2lvbg'],
  backup_database: ['strongroom'],
  backup_user: ['admin'],
  user_name: ['operator'],
  auditor: ['operator'],
  password: ['correct horse battery'],
  backup_server_address: ['backup.example.org'],
  package_version: ['2.4.0'],
  version: ['2.4.0'],
  role: ['administrator'],
  roles: ['administrator'],
  client_groups: ['Office'],
  name: ['Office'],
  filter_clients_hostname: ['host'],
  permissions: ['pools.read'],
  pool: ['Default'],
  pool_name: ['Default'],
  ls_pool: ['Default'],
  meta_data_pool: ['Metadata'],
  media_server: ['backup.example.org'],
  hostname: ['host'],
  ipv4: ['192.0.2.7'],
  ipv6: ['2001:db8::7'],
  mac: ['02:00:00:00:00:07'],
  ip: ['192.0.2.1'],
  os_distribution: ['Debian GNU/Linux 12'],
  source: ['host'],
  source_pool: ['Default'],
  retention_period: ['1 year'],
  storage_duration: ['1 year'],
  names: ['events'],
  assigned_by: ['admin'],
  created_by: ['admin'],
  client_name: ['host'],
  client: ['host (0123456789abcdef)'],
  client_id: ['host (0123456789abcdef)', 1],
  target_client: ['host (0123456789abcdef)'],
  hwid: ['0123456789abcdef'],
  client_hwid: ['0123456789abcdef'],
  group_id: ['No group'],
  strategy_id: ['Default'],
  strategy_name: ['Default'],
  resource_type: ['File system'],
  resource: ['/srv/data'],
  backup_type: ['full'],
  task_type: ['backup_urgent'],
  crypto: ['nocrypt'],
  path: ['/srv/data'],
  destination_path: ['/srv/restored'],
  granular_restore_files: ['/srv/data/report.txt'],
  new_name: ['data-restored'],
  device: ['/dev/sdb'],
  medium_changer_sg_path: ['/dev/sg2'],
  sg_path: ['/dev/sg2'],
  st_path: ['/dev/st0'],
  address: ['dc1.example.org'],
  domain: ['EXAMPLE'],
  login: ['CN=strongroom,CN=Users,DC=example,DC=org'],
  user_search_base: ['CN=Users,DC=example,DC=org'],
  group_search_base: ['CN=Groups,DC=example,DC=org'],
  barcode: ['STR001L8'],
  vendor: ['ACME'],
  model: ['Robot 3000'],
  serial: ['AC0123456789'],
  window_start: ['22:00:00'],
  window_end: ['06:00:00'],
  backup_bandwidth: [10240],
  restore_bandwidth: [0],
  snapshot_size: [10],
  worker_parallelism: [8],
  network_parallelism: [8],
  parallel_workers: [8],
  priority: [100],
  limit: [20],
  clients_limit: [20],
  client_groups_limit: [20],
  calculation_period: [60],
  max_cpu_usage: [80],
  dynamic_pool_group_name: ['Fast'],
  full_schedule: ['0 0 * * 0'],
  incremental_schedule: ['0 0 * * 1-6'],
  differential_schedule: ['0 12 * * *'],
  utc: ['2030-01-31T22:59:59Z'],
  storage: ['/var/lib/strongroom/pools/default'],
  values: ['nocrypt'],
  normal_execution_script: ['/usr/local/bin/after-backup'],
  exception_execution_script: ['/usr/local/bin/after-failure'],
  restore_script: ['/usr/local/bin/after-restore'],
  script_before_snapshot: ['/usr/local/bin/before-snapshot'],
  script_after_snapshot: ['/usr/local/bin/after-snapshot'],
  script_error_snapshot: ['/usr/local/bin/snapshot-failed'],
  algorithm: ['sha2'],
  block_size: [131072],
  hash_length: [256],
  compression_type: ['Fast'],
  memory_threshold: [1],
  time_zone: ['Europe/Berlin'],
  port: [636],
  description: ['the nightly copies of the office'],
  status: ['done', 'Online', 200],
  message: ['The copy is complete.'],
  store_until: [`${time}.000`],
};

/** An example of `schema`; `undefined` where nothing can be said. `name` is the field that holds it. */
export function exampleOf(schema: Json, components: Json, name = ''): unknown {
  const resolved = resolve(schema, components);
  if (Array.isArray(resolved.examples)) return resolved.examples[0];
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.default !== undefined) return resolved.default;
  const choices = (resolved.anyOf ?? resolved.oneOf) as readonly Json[] | undefined;
  const known = (fieldExamples[name] ?? []).find((value) => fits(value, resolved, components));
  if (known !== undefined) return known;
  if (Array.isArray(resolved.enum)) return resolved.enum[0];
  if (choices) return exampleOf(bestChoice(choices, components), components, name);
  if (Array.isArray(resolved.allOf)) return exampleOf(resolved.allOf[0] as Json, components, name);
  return exampleOfType(resolved, components, name);
}

function exampleOfType(schema: Json, components: Json, name: string): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return exampleObject(schema, components);
    case 'array': {
      const item = exampleOf((schema.items ?? {}) as Json, components, name);
      return item === undefined ? [] : [item];
    }
    case 'integer':
    case 'number':
      return numberWithin(schema);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      return textFor(schema);
    default:
      return undefined;
  }
}

function exampleObject(schema: Json, components: Json): Json {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Json>>;
  const entries = Object.entries(properties)
    .map(([name, property]) => [name, exampleOf(property, components, name)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

function numberWithin({ minimum, exclusiveMinimum, maximum }: Json): number {
  const least = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : minimum;
  const lowest = typeof least === 'number' ? least : 1;
  const wanted = Math.max(1, lowest);
  return typeof maximum === 'number' ? Math.min(wanted, maximum) : wanted;
}

/** Texts with a pattern of their own carry an example in the contract; what is left are dates and free words. */
function textFor({ description, minLength }: Json): string {
  if (typeof description === 'string' && description.startsWith('ISO 8601')) return time;
  const text = 'text';
  return typeof minLength === 'number' && minLength > text.length ? text.repeat(minLength) : text;
}

function bestChoice(choices: readonly Json[], components: Json): Json {
  const isTelling = (choice: Json) => {
    const found = resolve(choice, components);
    return typeOf(found) !== 'null' && found.const !== '';
  };
  return choices.find(isTelling) ?? choices[0] ?? {};
}

function fits(value: unknown, schema: Json, components: Json): boolean {
  const choices = (schema.anyOf ?? schema.oneOf) as readonly Json[] | undefined;
  if (choices) return choices.some((choice) => fits(value, resolve(choice, components), components));
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  if (schema.const !== undefined) return schema.const === value;
  if (typeof schema.pattern === 'string' && typeof value === 'string') {
    return typeOf(schema) === 'string' && new RegExp(schema.pattern, 'u').test(value);
  }
  const type = typeOf(schema);
  if (type === undefined) return true;
  return type === 'integer' ? fitsInteger(value, schema) : typeof value === type;
}

function fitsInteger(value: unknown, { minimum, maximum }: Json): boolean {
  if (!Number.isInteger(value)) return false;
  const number = value as number;
  return (
    (typeof minimum !== 'number' || number >= minimum) && (typeof maximum !== 'number' || number <= maximum)
  );
}

/** The type that is not null, where null is allowed too. */
export function typeOf({ type }: Json): unknown {
  return Array.isArray(type) ? type.find((found) => found !== 'null') : type;
}

function resolve(schema: Json, components: Json): Json {
  if (typeof schema.$ref !== 'string') return schema;
  return (components[schema.$ref.replace('#/components/schemas/', '')] ?? {}) as Json;
}
