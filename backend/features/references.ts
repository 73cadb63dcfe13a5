import { Refusal } from '../platform/errors.ts';

/** A name in a body that stands for no object, e.g. `unknownReference('pool', 'pool named `Fast`')`. */
export function unknownReference(field: string, what: string): Refusal {
  return new Refusal('reference.unknown', {
    message: `There is no ${what}.`,
    errors: { [field]: `there is no ${what}` },
  });
}
