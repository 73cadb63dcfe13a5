import { type Db, foldCase, type Tx } from '../db/index.ts';

/**
 * A name of a media set as it is spelled already, by cartridges or pools, when it differs from one of these in case alone: a set that is
 * there twice by a slip would leave a pool without cartridges.
 */
export async function knownSetName(db: Db | Tx, name: string): Promise<string> {
  const rows = await db
    .selectFrom('cartridges')
    .select('media_set_name')
    .where('media_set_name', 'is not', null)
    .union(db.selectFrom('pools').select('media_set_name').where('media_set_name', 'is not', null))
    .execute();
  const known = rows.flatMap(({ media_set_name: one }) => (one === null ? [] : [one])).sort();
  if (known.includes(name)) return name;
  return known.find((one) => foldCase(one) === foldCase(name)) ?? name;
}
