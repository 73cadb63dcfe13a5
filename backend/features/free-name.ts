import { Refusal } from '../platform/errors.ts';

/**
 * Refuses a name that another object has, whatever its case. Belongs into the transaction that writes the name: of two
 * callers with the same one the second is told that it is taken.
 */
export async function requireFreeName(
  inside: { idOfTakenName(name: string): Promise<number | null> },
  wish: {
    /** `pool` */
    readonly what: string;
    readonly field: string;
    readonly name: string;
    /** The object that may keep its name; null for a new one. */
    readonly own: number | null;
  },
): Promise<void> {
  const { what, field, name, own } = wish;
  const taken = await inside.idOfTakenName(name);
  if (taken === null || taken === own) return;
  throw new Refusal('name.taken', {
    message: `There is already a ${what} named ${name}.`,
    errors: { [field]: `is taken by another ${what}; choose another name` },
  });
}
