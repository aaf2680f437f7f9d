import type { Readable, Writable } from 'node:stream'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { watchLibraries } from '../docs/changes.ts'
import { openServer, type Face } from '../server.ts'
import { openStdioTransport } from './stdio-transport.ts'

type StdioOptions = {
  stdin: Readable
  stdout: Writable
  /** Aborting it ends the connection. */
  signal: AbortSignal
  /** Receives a line for each message that cannot be parsed. */
  warn(line: string): void
}

/**
 * Serves one client over stdin and stdout until stdin ends, the parent process is gone, or `signal`
 * is aborted.
 */
export async function serveOverStdio(face: Face, options: StdioOptions): Promise<void> {
  const { stdin, stdout, signal, warn } = options
  const transport = openStdioTransport({ stdin, stdout })
  const open = async () => {
    const server = await openServer(face)
    const { og } = face
    if (og === null) return server
    const changes = watchLibraries(og, () => void server.sendResourceListChanged())
    server.onclose = () => changes[Symbol.dispose]()
    return server
  }
  const connection = serveStdio(open, { transport, onerror: ({ message }) => warn(message) })
  const end = () => void connection.close()
  using _parent = watchParent(end)
  signal.addEventListener('abort', end, { once: true })
  await transport.closed
}

/** Detects a killed parent, since stdin stays open if another process holds its write end. */
function watchParent(end: () => void, everyMs = 100): Disposable {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) end()
  }, everyMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
