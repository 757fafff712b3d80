import type { PgRaw } from 'drizzle-orm/pg-core/query-builders/raw'
import type { Pool, Transaction } from '@/db/client'

const ATTEMPTS = 12
const RETRIED_STATES = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
])

/** Thrown inside a transaction whose premise another one changed meanwhile: it is rolled back and run again. */
export class PremiseChanged extends Error {}

/**
 * Runs `work` in one transaction, and again when the database had to break it off (deadlock, serialisation failure)
 * or its premise changed. `work` must therefore have no effect outside the database.
 */
export async function inTransaction<T>(db: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction(work)
    } catch (error) {
      if (attempt === ATTEMPTS || !isRetried(error)) throw error
      await new Promise((again) => setTimeout(again, Math.random() * 5 * 2 ** Math.min(attempt, 6)))
    }
  }
}

/**
 * Sends statements of one transaction one after another without waiting for answers in between: one round trip. Each
 * still sees what committed before it began, so one that follows a lock sees what the lock waited for. Only raw
 * statements: builders are sent a moment later, which would change the order.
 */
export function pipeline<T extends readonly unknown[]>(...statements: { [K in keyof T]: PgRaw<T[K]> }): Promise<T> {
  return Promise.all(statements) as unknown as Promise<T>
}

function isRetried(error: unknown): boolean {
  return error instanceof PremiseChanged || RETRIED_STATES.has(sqlState(error) ?? '')
}

/** The SQLSTATE of a database error, however deep it was wrapped, or null. */
export function sqlState(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code
  }
  return null
}

/** Whether the error is a breach of this unique index or constraint. */
export function violatesUnique(error: unknown, name: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code, constraint_name: constraint } = cause as { code?: string; constraint_name?: string }
    if (code === '23505' && constraint === name) return true
  }
  return false
}
