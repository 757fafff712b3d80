import { and, eq, isNotNull } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { sharedPool } from '@/db/client'
import { reservations, stockSubmissions } from '@/db/schema'
import { makeShop } from '../testing/shop'
import { keepTidy } from './keep-tidy'

test('releases reservations after 48 hours and frees keys after 30 days, not before', async () => {
  const shop = await makeShop({ products: [{ stock: 5 }] })
  await shop.sell({ 'SKU-1': 1 })
  await shop.submit([{ sku: 'SKU-1', stock: 5 }])
  const left = async () => {
    await keepTidy(sharedPool(), shop.clock)
    const business = shop.context.business.id
    const released = await sharedPool()
      .select()
      .from(reservations)
      .where(and(eq(reservations.businessId, business), isNotNull(reservations.releasedAt)))
    const kept = await sharedPool()
      .select()
      .from(stockSubmissions)
      .where(and(eq(stockSubmissions.businessId, business), isNotNull(stockSubmissions.idempotencyKey)))
    return { released: released.length, kept: kept.length }
  }
  shop.clock.advance(48 * 3_600_000 - 1)
  expect(await left()).toEqual({ released: 0, kept: 1 })
  shop.clock.advance(1)
  expect(await left()).toEqual({ released: 1, kept: 1 })
  shop.clock.advance(28 * 86_400_000)
  expect(await left()).toEqual({ released: 1, kept: 0 })
})
