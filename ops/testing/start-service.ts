import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import manifest from '../../package.json' with { type: 'json' }

export interface RunningService {
  url: string
  key: string | null
  process: ChildProcess
  output: () => string
  /** Sends the signal and resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts the service as `npm start` does. Rejects with its output when it ends before it is ready. */
export async function startService(environment: Record<string, string>): Promise<RunningService> {
  const port = environment.PORT ?? String(await freePort())
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(DATABASE_URL|APP_|PORT|HOST|DATA_DIR|NODE_ENV|VITEST|npm_|INIT_CWD|LOG_LEVEL|UPSTASH|WEBHOOK|INNGEST)/.test(name),
    ),
  )
  const child = spawn(process.execPath, manifest.scripts.start.split(' ').slice(1), {
    env: { ...inherited, NODE_ENV: 'production', PORT: port, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exited = new Promise<number | null>((done) => child.once('exit', done))
  const url = await new Promise<string>((ready, failed) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const found = /Ready at (\S+)/.exec(output)?.[1]
      // The lines that follow it belong to the same write.
      if (found) setImmediate(() => ready(found))
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void exited.then(() => failed(new Error(output)))
  })
  return {
    url,
    key: /svk_live_\w+/.exec(output)?.[0] ?? null,
    process: child,
    output: () => output,
    end(signal) {
      child.kill(signal)
      return exited
    },
  }
}

export function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => found(port))
    })
  })
}
