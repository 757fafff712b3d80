import { sql } from 'drizzle-orm'
import { bigint, char, check, foreignKey, index, integer, json, pgTable, primaryKey, text, uniqueIndex, uuid, varchar } from 'drizzle-orm/pg-core'
import { apiKeys, businesses, moment } from './businesses'
import { products, quantity } from './catalog'
import { orders } from './orders'

/** One stored answer of `PUT /stock`. The key and the answer go after 30 days, the counts stay. */
export const stockSubmissions = pgTable(
  'stock_submissions',
  {
    businessId: uuid('business_id')
      .notNull()
      .references(() => businesses.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    apiKeyId: uuid('api_key_id').notNull(),
    idempotencyKey: varchar('idempotency_key', { length: 100 }),
    /** SHA-256 of the parsed content, hexadecimal. */
    contentHash: char('content_hash', { length: 64 }).notNull(),
    results: json('results'),
    applied: integer('applied').notNull(),
    duplicate: integer('duplicate').notNull(),
    stale: integer('stale').notNull(),
    notFound: integer('not_found').notNull(),
    untracked: integer('untracked').notNull(),
    invalid: integer('invalid').notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    uniqueIndex('stock_submissions_key').on(t.businessId, t.idempotencyKey),
    index('stock_submissions_expiring').on(t.createdAt).where(sql`idempotency_key is not null`),
    foreignKey({ columns: [t.businessId, t.apiKeyId], foreignColumns: [apiKeys.businessId, apiKeys.id] }),
  ],
)

/**
 * Every change of a product's stock, in order of id: each row starts where the one before it ended, and the last
 * one ends at the product's stock. Null stands for "not tracked".
 */
export const stockLedger = pgTable(
  'stock_ledger',
  {
    businessId: uuid('business_id').notNull(),
    productId: integer('product_id').notNull(),
    id: bigint('id', { mode: 'number' }).generatedAlwaysAsIdentity().notNull(),
    cause: text('cause', { enum: ['sale', 'cancellation', 'submission', 'manual', 'tracking'] }).notNull(),
    before: quantity('before'),
    after: quantity('after'),
    orderId: uuid('order_id'),
    // Without a foreign key: five hundred checks of one row a batch, for a row written by the same transaction.
    submissionId: uuid('submission_id'),
    createdAt: moment('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.productId, t.id] }),
    foreignKey({ columns: [t.businessId, t.productId], foreignColumns: [products.businessId, products.id] }),
    foreignKey({ columns: [t.businessId, t.orderId], foreignColumns: [orders.businessId, orders.id] }),
    check('stock_ledger_cause', sql`${t.cause} in ('sale', 'cancellation', 'submission', 'manual', 'tracking')`),
  ],
)
