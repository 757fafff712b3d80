import { v7 } from 'uuid'

/** A new id that sorts by time of making, so that indexes on it grow at their end. */
export const newId = (): string => v7()
