import { configurationEffects } from '../contract/configuration/configuration-effects.ts';
import {
  type ConfigurationField,
  configurationFields,
  configurationNames,
} from '../contract/configuration/configuration-fields.ts';

/** Prints docs/configuration.md: every field of the global configuration and what it does here. */
const intro = `# Global configuration

Made by \`npm run generate\` from the table in \`contract/configuration\`.

\`GET /global_configuration\` answers every field and \`service_mode\`; \`PATCH /global_configuration\` changes the fields
that it names, \`null\` puts one back to its default. An unknown field or a bad value is refused (400) and nothing is
saved. Read-only fields are ignored in a change. A change counts at once, also for what is running.

**In service mode** (\`PATCH /global_configuration/service_mode\`) no task starts and none is made by a schedule, expiry
and cleaning wait, running tasks end. New tasks are accepted and stay \`new\`; a restarted one becomes \`new\` and waits.

**The service window** is for cleaning in the background alone. Expired copies go when they are due, at any time of the day.
`;

function valuesOf(field: ConfigurationField): string {
  switch (field.type) {
    case 'integer':
      return `${field.min}–${field.max} ${field.unit}`;
    case 'choice':
      return field.values.map((value) => `\`${value}\``).join(', ');
    case 'boolean':
      return '`true`, `false`';
    case 'timeOfDay':
      return '`HH:MM:SS`';
    case 'path':
      return 'absolute path';
    case 'readOnlyText':
    case 'readOnlyTime':
      return 'read-only';
  }
}

function defaultOf(field: ConfigurationField): string {
  if (field.type === 'path') return `\`<data dir>/${field.place}\``;
  if (field.default === null) return '–';
  return `\`${field.default}\``;
}

const rows = configurationNames.map((name) => {
  const field: ConfigurationField = configurationFields[name];
  const effect = configurationEffects[name];
  const here = effect.acts ? effect.here : `*kept for* ${effect.here}`;
  return `| ${name} | ${valuesOf(field)} | ${defaultOf(field)} | ${field.meaning} | ${here} |`;
});
const head = '| Field | Values | Default | Meaning | Here |\n|---|---|---|---|---|';
process.stdout.write(`${intro}\n${head}\n${rows.join('\n')}\n`);
