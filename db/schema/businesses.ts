import { sql } from 'drizzle-orm'
import { bigint, boolean, char, check, index, integer, pgTable, primaryKey, text, timestamp, unique, uuid, varchar } from 'drizzle-orm/pg-core'

/** A moment with the precision that the wire shows: milliseconds. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })

export const businesses = pgTable('businesses', {
  id: uuid('id').primaryKey(),
  slug: varchar('slug', { length: 63 }).notNull().unique(),
  name: varchar('name', { length: 200 }).notNull(),
  currency: char('currency', { length: 3 }).notNull(),
  moduleEnabled: boolean('module_enabled').notNull().default(true),
  storeEnabled: boolean('store_enabled').notNull().default(false),
  createdAt: moment('created_at').notNull().defaultNow(),
})

/**
 * Order numbers and feed cursors of a business. The row is locked last in a transaction and held until commit, so
 * both numbers follow commit order without gaps. The fill factor keeps its updates in the same page (HOT).
 */
export const businessCounters = pgTable('business_counters', {
  businessId: uuid('business_id')
    .primaryKey()
    .references(() => businesses.id, { onDelete: 'cascade' }),
  lastOrderNum: bigint('last_order_num', { mode: 'number' }).notNull().default(0),
  lastEventCursor: bigint('last_event_cursor', { mode: 'number' }).notNull().default(0),
})

export const integrations = pgTable(
  'integrations',
  {
    businessId: uuid('business_id')
      .primaryKey()
      .references(() => businesses.id, { onDelete: 'cascade' }),
    enabled: boolean('enabled').notNull().default(true),
    direction: text('direction', { enum: ['inbound', 'bidirectional'] })
      .notNull()
      .default('bidirectional'),
    webhookUrl: text('webhook_url'),
    /** Signing secrets, encrypted. The one before the last rotation still signs beside the new one for a day. */
    webhookSecret: text('webhook_secret'),
    previousWebhookSecret: text('previous_webhook_secret'),
    webhookSecretRotatedAt: moment('webhook_secret_rotated_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [check('integrations_direction', sql`${t.direction} in ('inbound', 'bidirectional')`)],
)

export const apiKeys = pgTable(
  'api_keys',
  {
    businessId: uuid('business_id')
      .notNull()
      .references(() => businesses.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    name: varchar('name', { length: 100 }).notNull(),
    prefix: varchar('prefix', { length: 32 }).notNull().unique(),
    /** SHA-256 of the secret part, hexadecimal. The secret itself is never stored. */
    secretHash: char('secret_hash', { length: 64 }).notNull(),
    scopes: text('scopes').array().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
    /** Set when a rotation put another key in the place of this one. */
    replacedById: uuid('replaced_by_id'),
  },
  (t) => [primaryKey({ columns: [t.businessId, t.id] })],
)

/** People who sign in to the panel. Columns follow better-auth's core schema. */
export const users = pgTable('users', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  email: text('email').notNull().unique(),
  emailVerified: boolean('email_verified').notNull().default(false),
  image: text('image'),
  createdAt: moment('created_at').notNull().defaultNow(),
  updatedAt: moment('updated_at').notNull().defaultNow(),
})

/** How a person proves who they are; a password is stored as `salt:key` of scrypt. */
export const accounts = pgTable(
  'accounts',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    password: text('password'),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [unique('accounts_provider_account').on(t.providerId, t.accountId), index('accounts_user').on(t.userId)],
)

export const members = pgTable(
  'members',
  {
    businessId: uuid('business_id')
      .notNull()
      .references(() => businesses.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role', { enum: ['owner', 'staff'] }).notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.businessId, t.userId] }), index('members_user').on(t.userId), check('members_role', sql`${t.role} in ('owner', 'staff')`)],
)

/** What happened once in this database, such as the making of the demo business. */
export const installation = pgTable('installation', {
  id: integer('id').primaryKey().default(1),
  demoMadeAt: moment('demo_made_at'),
})
