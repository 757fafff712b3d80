import { eq } from 'drizzle-orm'
import { businesses } from '@/db/schema'
import type { Context } from '../context'

/** Turns the external inventory module or the online store on or off. */
export async function changeBusiness({ db, business }: Context, change: { moduleEnabled?: boolean; storeEnabled?: boolean }): Promise<void> {
  await db.update(businesses).set(change).where(eq(businesses.id, business.id))
}
