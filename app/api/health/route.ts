/** Liveness: the process answers. It asks nothing else, so that a database that is away does not get it restarted. */
export const GET = () => Response.json({ status: 'ok' }, { headers: { 'Cache-Control': 'no-store' } })

export const dynamic = 'force-dynamic'
