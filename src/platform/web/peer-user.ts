import { readFile } from 'node:fs/promises'

/** The client of an IPv4 connection on this machine, and the port to which it connected. */
export type LocalClient = { address: string; port: number; calledPort: number }

/**
 * True if the client runs as this process's user, according to the kernel's connection table. False
 * if the table does not list the connection, and on systems other than Linux, which lack such a
 * table.
 */
export async function isOwnClient({ address, port, calledPort }: LocalClient): Promise<boolean> {
  if (!/^127(?:\.\d{1,3}){3}$/.test(address)) return false
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((path) =>
    readFile(path, 'latin1').catch(() => ''),
  )
  const rows = (await Promise.all(tables))
    .flatMap((table) => table.split('\n'))
    .map((row) => row.trim().split(/\s+/))
  // Several connections by different users may have this client port.
  const own = `${hexOf(address)}:${hex(port, 4)}`
  const calledSide = `${hexOf(calledAddress)}:${hex(calledPort, 4)}`
  const connections = rows.filter(
    ([, local = '', remote = '', state]) =>
      state === established && ofIpv4(local) === own && ofIpv4(remote) === calledSide,
  )
  const user = String(process.getuid?.())
  return connections.length > 0 && connections.every((row) => row[userColumn] === user)
}

/** The address on which a server must listen to use `isOwnClient`. */
const calledAddress = '127.0.0.1'
const established = '01'
const userColumn = 7

/** Strips the prefix of an IPv4 address in IPv6 form because a client may use an IPv6 socket. */
function ofIpv4(place: string): string {
  return place.replace(/^0{16}FFFF0{4}/, '')
}

/** Formats an IPv4 address as the kernel does: in hexadecimal, with the last byte first. */
function hexOf(address: string): string {
  return address
    .split('.')
    .reverse()
    .map((byte) => hex(Number(byte), 2))
    .join('')
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0')
}
