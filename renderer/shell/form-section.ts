import type { FormField } from './open-dialog.ts';

/** These fields, under one name in the form. */
export const inSection = <const F extends FormField>(section: string, fields: readonly F[]): readonly F[] =>
  fields.map((field) => ({ ...field, section }));
