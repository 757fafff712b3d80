import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** Stands between a client and its database, and can be told to cut, to swallow, or to lead elsewhere. */
export async function startProxy(target: number) {
  let mode: 'pass' | 'refuse' | 'hang' = 'pass'
  let port = target
  const open = new Set<Socket>()
  const server = createServer((client) => {
    if (mode === 'refuse') return void client.destroy()
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
    }
    client.on('data', (chunk) => mode === 'pass' && upstream.write(chunk))
    upstream.on('data', (chunk) => mode === 'pass' && client.write(chunk))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as AddressInfo).port,
    /** What becomes of connections from now on; those that stand are cut, unless they are to hang. */
    set(next: typeof mode, nextTarget = port) {
      mode = next
      port = nextTarget
      if (next !== 'hang') for (const socket of open) socket.destroy()
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
