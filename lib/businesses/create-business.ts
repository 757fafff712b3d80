import { eq } from 'drizzle-orm'
import { z } from 'zod'
import type { Pool } from '@/db/client'
import { accounts, businessCounters, businesses, integrations, members, users } from '@/db/schema'
import { AppError } from '../errors'
import { text } from '../fields'
import { newId } from '../ids'
import { DIRECTIONS } from '../integration/contract'
import { inTransaction, violatesUnique } from '../transaction'
import { hashPassword } from './password'
import { SLUG } from './rules'

export const newBusiness = z.object({
  name: text(1, 200),
  slug: z.string().regex(SLUG, 'must be 1 to 63 of a-z, 0-9 and -, not beginning or ending with -'),
  currency: z.string().regex(/^[A-Z]{3}$/, 'must be a currency code of three letters, such as EUR'),
  ownerEmail: z.email('must be an e-mail address').toLowerCase(),
  ownerPassword: z.string().min(8, 'must have at least 8 characters').max(128, 'must have at most 128 characters'),
  direction: z.enum(DIRECTIONS, { error: `must be ${DIRECTIONS.join(' or ')}` }).default('bidirectional'),
})

/**
 * Makes a business with its integration and its owner. A person who has an account already becomes its owner with the
 * password that they have.
 * @throws AppError CONFLICT when the slug is taken
 */
export async function createBusiness(db: Pool, input: z.output<typeof newBusiness>): Promise<{ id: string; slug: string }> {
  const id = newId()
  const password = await hashPassword(input.ownerPassword)
  try {
    await inTransaction(db, async (tx) => {
      await tx.insert(businesses).values({ id, slug: input.slug, name: input.name, currency: input.currency })
      await tx.insert(businessCounters).values({ businessId: id })
      await tx.insert(integrations).values({ businessId: id, direction: input.direction })
      const userId = newId()
      const [made] = await tx
        .insert(users)
        .values({ id: userId, name: input.ownerEmail.split('@')[0] ?? '', email: input.ownerEmail })
        .onConflictDoNothing()
        .returning()
      if (made) await tx.insert(accounts).values({ id: newId(), accountId: userId, providerId: 'credential', userId, password })
      const [owner] = made ? [made] : await tx.select().from(users).where(eq(users.email, input.ownerEmail))
      if (!owner) throw new Error('the owner’s account vanished while the business was made')
      await tx.insert(members).values({ businessId: id, userId: owner.id, role: 'owner' })
    })
  } catch (error) {
    if (!violatesUnique(error, 'businesses_slug_unique')) throw error
    throw new AppError('CONFLICT', `The slug "${input.slug}" is taken: choose another.`, { cause: error })
  }
  return { id, slug: input.slug }
}
