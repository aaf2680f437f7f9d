import dgram from 'node:dgram'
import dns from 'node:dns'
import { readdir, readFile, readlink } from 'node:fs/promises'
import net from 'node:net'

/** A closed network: JavaScript cannot open sockets. `attempts` lists the attempts. */
type ClosedNetwork = Disposable & { attempts: string[] }

/**
 * Closes the network for the JavaScript of this thread. Every function that opens a socket then
 * throws. Workers and native code are not covered; `internetSockets` shows whether they opened
 * sockets.
 */
export function closeNetwork(): ClosedNetwork {
  const attempts: string[] = []
  const restores = ways().map(({ owner, name, label }) => {
    const before = owner[name]
    // Not an arrow function because some of these functions are called with `new`.
    owner[name] = function closed(...target: unknown[]) {
      const what = [label, ...target.flatMap(addressesIn)].join(' ')
      attempts.push(what)
      throw new Error(`Cannot reach the network: it is closed for this trial (${what})`)
    }
    return () => (owner[name] = before)
  })
  return { attempts, [Symbol.dispose]: () => restores.forEach((restore) => restore()) }
}

/**
 * Lists the open TCP and UDP sockets of this process, including those of native code, each as
 * `tcp:[INODE]`. Returns null on a system without /proc.
 */
export async function internetSockets(): Promise<string[] | null> {
  const descriptors = await readdir('/proc/self/fd').catch(() => null)
  if (descriptors === null) return null
  const kinds = new Map<string, string>()
  for (const kind of ['tcp', 'tcp6', 'udp', 'udp6']) {
    const table = await readFile(`/proc/self/net/${kind}`, 'utf8').catch(() => '')
    for (const inode of inodes(table)) kinds.set(inode, kind)
  }
  const links = descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  return (await Promise.all(links)).flatMap((link) => {
    const inode = link.match(/^socket:\[(\d+)\]$/)?.[1] ?? ''
    return kinds.has(inode) ? [`${kinds.get(inode)}:[${inode}]`] : []
  })
}

type Way = { owner: Record<string, unknown>; name: string; label: string }

function ways(): Way[] {
  const entries: [object, string, string][] = [
    [globalThis, 'fetch', 'fetch'],
    [globalThis, 'WebSocket', 'WebSocket'],
    [net.Socket.prototype, 'connect', 'net.Socket.connect'],
    [dgram.Socket.prototype, 'bind', 'dgram.Socket.bind'],
    [dgram.Socket.prototype, 'send', 'dgram.Socket.send'],
    [dns, 'lookup', 'dns.lookup'],
    [dns.promises, 'lookup', 'dns.lookup'],
    [Bun.dns, 'lookup', 'dns.lookup'],
    [Bun, 'connect', 'Bun.connect'],
    [Bun, 'udpSocket', 'Bun.udpSocket'],
  ]
  return entries.map(([owner, name, label]) => ({ owner: owner as Way['owner'], name, label }))
}

function addressesIn(target: unknown): string[] {
  if (typeof target === 'string' || typeof target === 'number') return [String(target)]
  if (target instanceof URL) return [target.href]
  if (target instanceof Request) return [target.url]
  if (Array.isArray(target)) return target.flatMap(addressesIn)
  const { hostname, host, port } = (target ?? {}) as Record<string, unknown>
  return [hostname ?? host, port].filter((part) => part !== undefined).map(String)
}

function inodes(table: string): string[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => line.trim().split(/\s+/)[9] ?? [])
}
