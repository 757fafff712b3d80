import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, numeric, pgTable, primaryKey, timestamp, uniqueIndex, uuid, varchar } from 'drizzle-orm/pg-core'
import { businesses, moment } from './businesses'

/** Units of stock: up to three decimals, as the specification has them. */
export const quantity = (name: string) => numeric(name, { precision: 14, scale: 3 })
export const money = (name: string) => numeric(name, { precision: 12, scale: 2 })

export const products = pgTable(
  'products',
  {
    businessId: uuid('business_id')
      .notNull()
      .references(() => businesses.id, { onDelete: 'cascade' }),
    id: integer('id').generatedAlwaysAsIdentity().notNull(),
    sku: varchar('sku', { length: 50 }),
    externalId: varchar('external_id', { length: 100 }),
    name: varchar('name', { length: 200 }).notNull(),
    unit: varchar('unit', { length: 20 }).notNull(),
    price: money('price').notNull(),
    /** Offered for sale by the business. */
    forSale: boolean('for_sale').notNull().default(true),
    tracked: boolean('tracked').notNull(),
    /** Null exactly when the product is not tracked. May be below zero: more was promised than there is. */
    stock: quantity('stock'),
    lastVersion: bigint('last_version', { mode: 'number' }),
    lastObservedAt: timestamp('last_observed_at', { withTimezone: true, precision: 6 }),
    /** The absolute value last applied from the integrator, before reservations were subtracted. */
    submittedStock: quantity('submitted_stock'),
    submittedAt: moment('submitted_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    deletedAt: moment('deleted_at'),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    // Only live products hold their identifiers: a deleted one frees both.
    uniqueIndex('products_live_sku').on(t.businessId, t.sku).where(sql`deleted_at is null`),
    uniqueIndex('products_live_external_id').on(t.businessId, sql`lower(external_id)`).where(sql`deleted_at is null`),
    // Pages by id: without these a long run of deleted products, or of those not for sale, would be read to be passed over.
    index('products_live').on(t.businessId, t.id).where(sql`deleted_at is null`),
    index('products_for_sale').on(t.businessId, t.id).where(sql`deleted_at is null and for_sale`),
    check('products_stock_iff_tracked', sql`${t.tracked} = (${t.stock} is not null)`),
    check('products_price', sql`${t.price} >= 0`),
  ],
)
