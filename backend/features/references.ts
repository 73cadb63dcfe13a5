import { Refusal } from '../platform/errors.ts';

/** A name in a body that stands for no object, e.g. `unknownReference('pool', 'pool named `Fast`')`. */
export function unknownReference(field: string, what: string): Refusal {
  return new Refusal('reference.unknown', {
    message: `There is no ${what}.`,
    errors: { [field]: `there is no ${what}` },
  });
}

/** What the call itself is about and does not exist, e.g. `namedNotFound('pool_name', 'pool named Fast')`. */
export function namedNotFound(field: string, what: string): Refusal {
  return new Refusal('object.notFound', {
    message: `There is no ${what}.`,
    errors: { [field]: 'not found' },
  });
}
