import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configurationEffects } from '../../../contract/configuration/configuration-effects.ts';
import {
  type ConfigurationField,
  configurationFields,
  configurationNames,
} from '../../../contract/configuration/configuration-fields.ts';
import { startTestApp } from '../../support/backend.ts';

it('every field that acts is named in a test that shows it', async () => {
  const folder = join(import.meta.dirname, '..');
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.test.ts'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const acting = configurationNames.filter((name) => configurationEffects[name].acts);
  expect(acting.filter((name) => !texts.some((text) => text.includes(name)))).toEqual([]);
  expect(acting.length).toBeGreaterThan(25);
});

it('every field takes the ends of its range and every value, and nothing beyond', async () => {
  const app = await startTestApp({ started: true });
  const superuser = await app.loginAs('superuser');
  for (const name of configurationNames) {
    const field: ConfigurationField = configurationFields[name];
    const { good, bad } = examples(field);
    for (const value of good) {
      const answer = await superuser.send('PATCH', '/global_configuration', { [name]: value });
      expect([name, answer.status, answer.data<Record<string, unknown>>()[name]]).toEqual([name, 200, value]);
    }
    const before = (await superuser.send('GET', '/global_configuration')).data();
    for (const value of bad) {
      const answer = await superuser.send('PATCH', '/global_configuration', { [name]: value });
      expect([name, value, answer.status, Object.keys(answer.body.errors)]).toEqual([
        name,
        value,
        400,
        [name],
      ]);
    }
    expect((await superuser.send('GET', '/global_configuration')).data()).toEqual(before);
  }
  await app.close();
});

function examples(field: ConfigurationField): { good: readonly unknown[]; bad: readonly unknown[] } {
  switch (field.type) {
    case 'integer':
      return {
        good: [field.min, field.max, field.default],
        bad: [field.min - 1, field.max + 1, field.min + 0.5, String(field.default), true, [], {}],
      };
    case 'choice':
      return { good: [...field.values, field.default], bad: ['', 'YES', true, 1, [field.default]] };
    case 'boolean':
      return { good: [true, false, field.default], bad: ['yes', 'true', 1, 0, []] };
    case 'timeOfDay':
      return {
        good: ['00:00:00', '23:59:59', field.default],
        bad: ['24:00:00', '7:00:00', '07:00', 7, true],
      };
    case 'path':
      return { good: ['/srv/data'], bad: ['srv/data', '', 'a\0b', 7] };
    case 'readOnlyText':
    case 'readOnlyTime':
      return { good: [], bad: [] };
  }
}
