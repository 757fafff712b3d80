import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

/** Rows of a list as one JSON parameter: the statement's text, and so its plan, is the same for every length. */
export const jsonRows = (rows: readonly object[]): SQL => sql`${JSON.stringify(rows)}::json`

/** The values of a list of whole numbers, as one parameter, for `= any(…)`. */
export const integers = (values: readonly number[]): SQL => sql`${`{${values.join(',')}}`}::int[]`

/** The values of a list of UUIDs that were checked to be such, as one parameter, for `= any(…)`. */
export const uuids = (values: readonly string[]): SQL => sql`${`{${values.join(',')}}`}::uuid[]`

/**
 * The live product that meets `condition`, for each row that it is laterally joined to. The limit keeps the planner from
 * reading every product of the business into a hash: it knows nothing of how many rows a list in a parameter has.
 */
export const liveProduct = (businessId: string, condition: SQL): SQL => sql`lateral (
      select * from products product where product.business_id = ${businessId} and product.deleted_at is null and ${condition} limit 1
    ) product`

/** A moment as the wire shows it: ISO 8601 in UTC with milliseconds. */
export const isoMoment = (moment: AnyColumn | SQL): SQL<string> => sql<string>`to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The next `updated_at`: now, yet always later than the last, so that every change shows. */
export const nextUpdatedAt = (last: AnyColumn | SQL, now: Date): SQL => sql`greatest(${now.toISOString()}::timestamptz(3), ${last} + interval '1 millisecond')`
