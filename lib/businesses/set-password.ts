import { and, eq, inArray } from 'drizzle-orm'
import type { Pool } from '@/db/client'
import { accounts, users } from '@/db/schema'
import { hashPassword } from './password'

/** Gives the person with this e-mail address a new password. */
export async function setPassword(db: Pool, email: string, password: string): Promise<void> {
  const person = db.select({ id: users.id }).from(users).where(eq(users.email, email))
  await db
    .update(accounts)
    .set({ password: await hashPassword(password), updatedAt: new Date() })
    .where(and(eq(accounts.providerId, 'credential'), inArray(accounts.userId, person)))
}
