import {
  type ConfigurationName,
  configurationFields,
} from '../../../contract/configuration/configuration-fields.ts';

export const configuration = {
  title: 'Configuration',
  search: 'Search Configuration',
  failed: 'The configuration cannot be shown',
  none: 'No setting has this text.',
  enterServiceMode: 'Enter service mode',
  leaveServiceMode: 'Leave service mode',
  changeAsk: 'Change…',
  changeOf: 'Change {{name}}',
  readOnly: 'The server sets this by itself',
  now: 'Now: {{value}}.',
  valueInUnit: '{{value}} {{unit}}',
  fieldInUnit: '{{name}} ({{unit}})',
  units: {
    percent: 'percent',
    bytes: 'bytes',
    seconds: 'seconds',
    minutes: 'minutes',
    hours: 'hours',
    days: 'days',
    rows: 'rows',
    attempts: 'attempts',
    warnings: 'warnings',
  },
  values: {
    yes: 'yes',
    no: 'no',
    true: 'true',
    false: 'false',
    min: 'min',
    max: 'max',
    client: 'client',
    rule: 'rule',
    sequential: 'sequential',
    round_robin: 'round_robin',
    most_free: 'most_free',
  },
  // What the contract says of each setting, by its name.
  meanings: Object.fromEntries(
    Object.entries(configurationFields).map(([name, { meaning }]) => [name, meaning]),
  ) as Readonly<Record<ConfigurationName, string>>,
} as const;
