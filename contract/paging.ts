import { z } from 'zod';

/** Rows on a page when only `page` is given, and the most that `limit` may ask for. */
export const defaultLimit = 20;
export const maxLimit = 500;

const page = z.coerce
  .number<number | string>('must be a whole number, 1 or more')
  .int('must be a whole number, 1 or more')
  .min(1, 'must be a whole number, 1 or more')
  .max(2_147_483_647, 'is too large');

const limit = z.coerce
  .number<number | string>(`must be a whole number from 1 to ${maxLimit}`)
  .int(`must be a whole number from 1 to ${maxLimit}`)
  .min(1, `must be a whole number from 1 to ${maxLimit}`)
  .max(maxLimit, `must be ${maxLimit} at most; ask for further pages instead`);

/** Page and number of rows alone. */
export const PageQuery = z.object({ page: page.optional(), limit: limit.optional() });
export type PageQuery = z.output<typeof PageQuery>;

/**
 * The query of every list endpoint. Beside the named parameters, any field of the record is an equality filter;
 * which ones exist is the endpoint's column table. Without `page` and `limit` all rows are returned.
 */
export const ListQuery = z
  .object({
    page: page.optional().meta({ description: 'page, from 1' }),
    limit: limit
      .optional()
      .meta({ description: `rows a page, ${defaultLimit} unless told, ${maxLimit} at most` }),
    sort: z.string().optional().meta({ description: 'name of the field to sort by' }),
    order: z.enum(['asc', 'desc'], 'must be `asc` or `desc`').optional(),
    search: z.string().max(1000).optional().meta({ description: 'text to find in the text fields' }),
  })
  .catchall(z.union([z.string(), z.number(), z.boolean()], 'must be given once'));
export type ListQuery = z.output<typeof ListQuery>;
