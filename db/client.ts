import type { ExtractTablesWithRelations } from 'drizzle-orm'
import type { PgTransaction } from 'drizzle-orm/pg-core'
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'
import postgres, { type Options, type Sql } from 'postgres'
import * as schema from './schema'

export type Schema = typeof schema
/** The pool, or one transaction of it: a verb that takes this can run inside another's transaction. */
export type Database = PostgresJsDatabase<Schema> | PgTransaction<PostgresJsQueryResultHKT, Schema, ExtractTablesWithRelations<Schema>>
export type Transaction = PgTransaction<PostgresJsQueryResultHKT, Schema, ExtractTablesWithRelations<Schema>>
export type Pool = PostgresJsDatabase<Schema> & { $client: Sql }

/** Seconds after which an address that does not answer is given up: a request must fail, not hang. */
const CONNECT_TIMEOUT_S = 3
/** Longer than any statement of ours takes, so that a lost lock holder cannot pile requests up for ever. */
const STATEMENT_TIMEOUT_MS = 30_000

/**
 * Opens a pool on `url`. `?prepare=false` in the address turns prepared statements off, for a pooler that cannot
 * keep them.
 */
export function openPool(url: string, options: { max?: number; applicationName?: string } = {}): Pool {
  // A pooler that cannot keep prepared statements refuses these as well.
  const pooled = new URL(url).searchParams.get('prepare') === 'false'
  const timeouts = pooled ? {} : { statement_timeout: STATEMENT_TIMEOUT_MS, idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS }
  const settings: Options<Record<string, never>> = {
    max: options.max ?? 10,
    connect_timeout: CONNECT_TIMEOUT_S,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName ?? 'external-inventory',
      TimeZone: 'UTC',
      ...timeouts,
    },
  }
  return drizzle(prepareEveryStatement(postgres(url, settings)), { schema })
}

/**
 * Drizzle sends its queries unnamed, which costs each of them a second round trip to be described. The set of
 * statements here is small and fixed, so each connection prepares them once. (A pool opened with `prepare=false`
 * keeps to that: the connection's own setting wins over the query's.)
 */
function prepareEveryStatement<T extends Sql>(client: T): T {
  const wrapped: Record<string, unknown> = {
    unsafe: (query: string, parameters: never[] = [], options = {}) => client.unsafe(query, parameters, { ...options, prepare: true }),
  }
  if ('begin' in client) {
    wrapped.begin = (...args: [string, (tx: Sql) => unknown] | [(tx: Sql) => unknown]) => {
      const run = args.at(-1) as (tx: Sql) => unknown
      const inside = (tx: unknown) => run(prepareEveryStatement(tx as Sql))
      return args.length === 2 ? client.begin(args[0] as string, inside) : client.begin(inside)
    }
  }
  return new Proxy(client, {
    get: (target, name, receiver) => (typeof name === 'string' && wrapped[name]) || Reflect.get(target, name, receiver),
  })
}

const POOL = Symbol.for('external-inventory.pool')
const shared = globalThis as { [POOL]?: Pool }

/** The process's pool, on `DATABASE_URL`; made at first use and shared by every copy of this module. */
export function sharedPool(): Pool {
  const url = process.env.DATABASE_URL
  if (!url) throw new Error('DATABASE_URL is not set: start with "npm start", or set it to a Postgres address.')
  shared[POOL] ??= openPool(url)
  return shared[POOL]
}

export async function closeSharedPool(): Promise<void> {
  const pool = shared[POOL]
  delete shared[POOL]
  await pool?.$client.end({ timeout: 5 })
}
