/**
 * postgres.js 3.4 throws this out of a timer when a connection is lost between a query and its sending: nobody can catch it,
 * and left alone it ends the process. The query itself is given up by whoever waits for it; the pool makes a new connection.
 */
export function isLostConnectionFault(error: unknown): boolean {
  return error instanceof TypeError && /nextWrite.*postgres/.test(error.stack ?? '')
}
