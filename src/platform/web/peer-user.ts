import { readFile } from 'node:fs/promises'

/** The other end of a connection over IPv4 on this machine, and the port that it called. */
export type LocalClient = { address: string; port: number; calledPort: number }

/**
 * Whether the program at the other end runs as the user of this process, by the kernel's own table
 * of connections. Where there is no such table, as everywhere but on Linux, or the program is not
 * in it, nobody knows, and the answer is no.
 */
export async function isOwnClient({ address, port, calledPort }: LocalClient): Promise<boolean> {
  if (!/^127(?:\.\d{1,3}){3}$/.test(address)) return false
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((path) =>
    readFile(path, 'latin1').catch(() => ''))
  const rows = (await Promise.all(tables)).flatMap((table) => table.split('\n'))
    .map((row) => row.trim().split(/\s+/))
  // One port may be the near end of several connections, of several users.
  const own = `${hexOf(address)}:${hex(port, 4)}`
  const called = `${hexOf(calledAddress)}:${hex(calledPort, 4)}`
  const connections = rows.filter(([, local = '', remote = '', state]) =>
    state === established && ofIpv4(local) === own && ofIpv4(remote) === called)
  const user = String(process.getuid?.())
  return connections.length > 0 && connections.every((row) => row[userColumn] === user)
}

/** Where a server listens that asks this. */
const calledAddress = '127.0.0.1'
const established = '01'
const userColumn = 7

/** A program may call an address of IPv4 by a socket of IPv6. */
function ofIpv4(place: string): string {
  return place.replace(/^0{16}FFFF0{4}/, '')
}

/** As the kernel writes it: the last byte first. */
function hexOf(address: string): string {
  return address.split('.').reverse().map((byte) => hex(Number(byte), 2)).join('')
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0')
}
