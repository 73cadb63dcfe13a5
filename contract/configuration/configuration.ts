import { z } from 'zod';
import { open, Time } from '../records.ts';
import { AbsolutePath, TimeOfDay } from '../words.ts';
import {
  type ConfigurationField,
  type ConfigurationValues,
  configurationFields,
} from './configuration-fields.ts';

/** What a caller may send: null puts a field back to its default, read-only fields are ignored. */
export type ConfigurationPatch = {
  readonly [N in keyof ConfigurationValues]?: ConfigurationValues[N] | null;
};
export type Configuration = ConfigurationValues & { readonly service_mode: boolean };

function inputSchema(field: ConfigurationField): z.ZodType {
  switch (field.type) {
    case 'integer': {
      const message = `must be a whole number from ${field.min} to ${field.max} (${field.unit})`;
      return z
        .int(message)
        .min(field.min, message)
        .max(field.max, message)
        .nullish()
        .meta({ description: `${field.meaning} (${field.unit}; ${field.default} unless told)` });
    }
    case 'choice':
      return z
        .enum([...field.values], `must be one of ${field.values.join(', ')}`)
        .nullish()
        .meta({ description: `${field.meaning} (${field.default} unless told)` });
    case 'boolean':
      return z
        .boolean('must be true or false')
        .nullish()
        .meta({ description: `${field.meaning} (${field.default} unless told)` });
    case 'timeOfDay':
      return TimeOfDay.nullish().meta({ description: `${field.meaning} (${field.default} unless told)` });
    case 'path':
      return AbsolutePath.nullish().meta({
        description: `${field.meaning} (\`${field.place}\` in the data directory unless told)`,
      });
    case 'readOnlyText':
    case 'readOnlyTime':
      return z
        .unknown()
        .optional()
        .meta({ description: `${field.meaning}; read-only, ignored`, readOnly: true });
  }
}

function outputSchema(field: ConfigurationField): z.ZodType {
  switch (field.type) {
    case 'integer':
      return z.int().meta({ description: `${field.meaning} (${field.unit})` });
    case 'choice':
      return open(field.values).meta({ description: field.meaning });
    case 'boolean':
      return z.boolean().meta({ description: field.meaning });
    case 'readOnlyTime':
      return Time.nullable().meta({ description: field.meaning });
    default:
      return z.string().meta({ description: field.meaning });
  }
}

function shapeOf(schemaOf: (field: ConfigurationField) => z.ZodType): Record<string, z.ZodType> {
  const entries = Object.entries<ConfigurationField>(configurationFields);
  return Object.fromEntries(entries.map(([name, field]) => [name, schemaOf(field)]));
}

/** The whole configuration with the mode of the server. */
const ConfigurationObject = z.object({ ...shapeOf(outputSchema), service_mode: z.boolean() });
const ConfigurationPatchObject = z.strictObject(shapeOf(inputSchema));

// Both shapes follow from the table at run time; their types are stated once, here.
export const Configuration = ConfigurationObject as unknown as z.ZodType<Configuration, Configuration> &
  typeof ConfigurationObject;
export const ConfigurationPatch = ConfigurationPatchObject as unknown as z.ZodType<
  ConfigurationPatch,
  ConfigurationPatch
>;

export const ServiceMode = z.strictObject({ service_mode: z.boolean('must be true or false') });
