import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  char,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { businesses, moment } from './businesses'
import { money, products, quantity } from './catalog'

export const orders = pgTable(
  'orders',
  {
    businessId: uuid('business_id')
      .notNull()
      .references(() => businesses.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    orderNum: bigint('order_num', { mode: 'number' }).notNull(),
    /** Made by the client, so that an order sent twice is created once. */
    clientOrderId: uuid('client_order_id'),
    status: text('status', { enum: ['pending', 'preparing', 'ready', 'completed', 'cancelled'] }).notNull(),
    paymentStatus: text('payment_status', { enum: ['unpaid', 'paid', 'refunded'] }).notNull(),
    paymentType: text('payment_type', { enum: ['cash', 'card', 'transfer', 'online'] }),
    orderType: text('order_type', { enum: ['in_store', 'pickup', 'delivery'] }).notNull(),
    total: money('total').notNull(),
    currency: char('currency', { length: 3 }).notNull(),
    /** Personal data of the customer. Never read when an event is recorded. */
    customer: jsonb('customer').$type<Record<string, unknown>>(),
    note: text('note'),
    createdAt: moment('created_at').notNull(),
    updatedAt: moment('updated_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.id] }),
    uniqueIndex('orders_number').on(t.businessId, t.orderNum),
    uniqueIndex('orders_client_order_id').on(t.businessId, t.clientOrderId).where(sql`client_order_id is not null`),
    check('orders_status', sql`${t.status} in ('pending', 'preparing', 'ready', 'completed', 'cancelled')`),
    check('orders_payment_status', sql`${t.paymentStatus} in ('unpaid', 'paid', 'refunded')`),
  ],
)

/** What was sold, as it stood at the sale: later changes of the product do not reach it. */
export const orderItems = pgTable(
  'order_items',
  {
    businessId: uuid('business_id').notNull(),
    orderId: uuid('order_id').notNull(),
    position: integer('position').notNull(),
    productId: integer('product_id').notNull(),
    sku: varchar('sku', { length: 50 }),
    externalId: varchar('external_id', { length: 100 }),
    name: varchar('name', { length: 200 }).notNull(),
    quantity: quantity('quantity').notNull(),
    unitPrice: money('unit_price').notNull(),
    lineTotal: money('line_total').notNull(),
    /** Whether the sale deducted stock: the product was tracked when it was sold. */
    deducted: boolean('deducted').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.orderId, t.position] }),
    foreignKey({ columns: [t.businessId, t.orderId], foreignColumns: [orders.businessId, orders.id] }).onDelete('cascade'),
    foreignKey({ columns: [t.businessId, t.productId], foreignColumns: [products.businessId, products.id] }),
    check('order_items_quantity', sql`${t.quantity} > 0`),
  ],
)

/** Units sold that the integrator has not confirmed: subtracted from every absolute stock it submits. */
export const reservations = pgTable(
  'reservations',
  {
    businessId: uuid('business_id').notNull(),
    orderId: uuid('order_id').notNull(),
    productId: integer('product_id').notNull(),
    quantity: numeric('quantity', { precision: 14, scale: 3 }).notNull(),
    createdAt: moment('created_at').notNull(),
    /** Past this moment it does not count, whether or not a job has released it. */
    expiresAt: moment('expires_at').notNull(),
    releasedAt: moment('released_at'),
    releaseReason: text('release_reason', { enum: ['confirmed', 'cancelled', 'dead', 'expired'] }),
  },
  (t) => [
    primaryKey({ columns: [t.businessId, t.orderId, t.productId] }),
    foreignKey({ columns: [t.businessId, t.orderId], foreignColumns: [orders.businessId, orders.id] }).onDelete('cascade'),
    foreignKey({ columns: [t.businessId, t.productId], foreignColumns: [products.businessId, products.id] }),
    index('reservations_open').on(t.businessId, t.productId).where(sql`released_at is null`),
    index('reservations_expiring').on(t.expiresAt).where(sql`released_at is null`),
  ],
)
