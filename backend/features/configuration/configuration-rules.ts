import { join } from 'node:path';
import type { Configuration, ConfigurationPatch } from '../../../contract/configuration/configuration.ts';
import {
  type ConfigurationField,
  type ConfigurationName,
  configurationFields,
  configurationNames,
  isReadOnly,
} from '../../../contract/configuration/configuration-fields.ts';

/** What is stored: only what differs from the defaults, by name. */
export type StoredConfiguration = ReadonlyMap<string, unknown>;

export interface ServerFacts {
  readonly version: string;
  readonly dataDir: string;
  readonly keyHash: string;
}

/** The full form: stored values over the defaults, and what the server itself knows. */
export function completeConfiguration(stored: StoredConfiguration, server: ServerFacts): Configuration {
  const entries = configurationNames.map((name) => [name, fieldValue(name, stored, server)]);
  // The table gives each name's type; the stored values were checked against it before they were written.
  return {
    ...Object.fromEntries(entries),
    service_mode: stored.get('service_mode') === true,
  } as Configuration;
}

function fieldValue(name: ConfigurationName, stored: StoredConfiguration, server: ServerFacts): unknown {
  if (name === 'version') return server.version;
  if (name === 'rb_key_hash') return server.keyHash;
  const value = stored.get(name);
  if (value !== undefined) return value;
  const field: ConfigurationField = configurationFields[name];
  return field.type === 'path' ? join(server.dataDir, field.place) : field.default;
}

export interface ConfigurationChange {
  readonly set: readonly (readonly [ConfigurationName, unknown])[];
  /** Back to the default. */
  readonly clear: readonly ConfigurationName[];
}

/** Read-only fields are left out, null clears. */
export function planChange(patch: ConfigurationPatch): ConfigurationChange {
  const sent = configurationNames.filter((name) => patch[name] !== undefined && !isReadOnly(name));
  return {
    set: sent.flatMap((name) => (patch[name] === null ? [] : [[name, patch[name]] as const])),
    clear: sent.filter((name) => patch[name] === null),
  };
}
