import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Running, RunOptions, World } from '../e2e.ts'
import { until } from '../until.ts'

/** `url` ends in a slash. */
export type OgServer = Running & { url: string }

/** Starts the executable as a server and waits until it prints its address. */
export async function startOgServer(
  world: World,
  args: string[],
  options: RunOptions = {},
): Promise<OgServer> {
  const out = join(world.folder, 'tmp', `out-${Math.random()}`)
  const shell = ['/bin/sh', '-c', 'out=$1; shift; exec "$@" > "$out"', 'sh', out]
  const running = world.start(args, { ...options, prefix: shell })
  const said = () => (existsSync(out) ? readFileSync(out, 'utf8') : '')
  await until('the server says where it is', () => said().endsWith('\n'))
  return { ...running, url: new URL('/', said().trim()).href }
}

/**
 * Stops the server as a supervisor does.
 * @returns its exit code
 */
export async function endOgServer({ kill, ended }: OgServer): Promise<number> {
  kill('SIGTERM')
  return (await ended).exitCode
}

/** A load balancer without sessions: each request goes to the next server. */
export function balance(targets: readonly string[]): Disposable & { url: string } {
  let next = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const target = new URL(pathname + search, targets[next++ % targets.length])
      const headers = new Headers(request.headers)
      headers.set('Host', target.host)
      const { method, signal } = request
      const body = method === 'GET' ? null : await request.arrayBuffer()
      const answer = await fetch(target, { method, headers, body, signal, redirect: 'manual' })
      const passed = new Headers(answer.headers)
      // The body has already been decompressed.
      for (const name of ['content-encoding', 'content-length']) passed.delete(name)
      return new Response(answer.body, { status: answer.status, headers: passed })
    },
  })
  return { url: server.url.href, [Symbol.dispose]: () => void server.stop(true) }
}
