/**
 * Writes and reads the only kind of tar member in packs: a file with a short name, in the POSIX
 * format ustar, which every tar supports. Omits owner and time, so that equal contents produce
 * equal bytes.
 */

const block = 512

/** @param name ASCII, at most 100 characters */
export function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(block)
  const put = (text: string, at: number) => header.write(text, at, 'latin1')
  put(name, 0)
  put('0000644\0', 100)
  put('0000000\0', 108)
  put('0000000\0', 116)
  put(`${size.toString(8).padStart(11, '0')}\0`, 124)
  put('00000000000\0', 136)
  put('        ', 148)
  put('0', 156)
  put('ustar\x0000', 257)
  put(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

export function tarPadding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block)
}

/** The two empty blocks that end an archive. */
export const tarEnd = Buffer.alloc(2 * block)

/**
 * Reads the name and size of a plain file. A pack must not contain other members, such as links,
 * folders, long names and sparse files.
 * @throws Error with only the reason
 */
export function readTarHeader(header: Uint8Array): { name: string; size: number } {
  const bytes = Buffer.from(header)
  if (bytes.length < block) throw new Error('it is cut off')
  const field = (from: number, to: number) =>
    bytes.toString('latin1', from, to).replace(/[\0 ].*$/s, '')
  if (bytes.toString('latin1', 257, 262) !== 'ustar') throw new Error('it is not a tar archive')
  if (field(148, 156) === '' || parseInt(field(148, 156), 8) !== checksum(bytes)) {
    throw new Error('a header of the tar is damaged')
  }
  if (!'0\0'.includes(String.fromCharCode(bytes[156]!)) || field(345, 500) !== '') {
    throw new Error('it contains entries that are not plain files')
  }
  if (!/^[0-7]{1,11}$/.test(field(124, 136))) throw new Error('a header of the tar has no size')
  return { name: field(0, 100), size: parseInt(field(124, 136), 8) }
}

/** Sums all bytes of a header, counting the checksum as spaces. */
function checksum(header: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < block; i++) sum += i >= 148 && i < 156 ? 32 : header[i]!
  return sum
}
