import { asc, eq } from 'drizzle-orm'
import type { Pool } from '@/db/client'
import { businesses, integrations } from '@/db/schema'
import type { Business } from '../context'
import { AppError } from '../errors'

const joined = (db: Pool) =>
  db
    .select({ business: businesses, direction: integrations.direction, enabled: integrations.enabled })
    .from(businesses)
    .leftJoin(integrations, eq(integrations.businessId, businesses.id))

type Row = Awaited<ReturnType<typeof joined>>[number]

const toBusiness = ({ business, direction, enabled }: Row): Business => ({
  ...business,
  integration: direction && enabled !== null ? { direction, enabled } : null,
})

export async function findBusiness(db: Pool, slug: string): Promise<Business | null> {
  const [row] = await joined(db).where(eq(businesses.slug, slug))
  return row ? toBusiness(row) : null
}

/** @throws AppError NOT_FOUND */
export async function getBusiness(db: Pool, slug: string): Promise<Business> {
  const business = await findBusiness(db, slug)
  if (!business) throw new AppError('NOT_FOUND', `There is no business "${slug}". "business list" shows them all.`)
  return business
}

export async function listBusinesses(db: Pool): Promise<Business[]> {
  return (await joined(db).orderBy(asc(businesses.slug))).map(toBusiness)
}
