import { pack } from 'tar-stream'

export const page = Buffer.from('# Guide\n\nA pelican stands here.\n')

type TarEntry = { name: string; type?: 'symlink' | 'link' | 'character-device'; linkname?: string }

/** A tar archive whose files all contain the same page. */
export async function packed(entries: TarEntry[]): Promise<Buffer> {
  const tar = pack()
  for (const entry of entries) tar.entry(entry, entry.type === undefined ? page.toString() : '')
  tar.finalize()
  const parts: Buffer[] = []
  for await (const part of tar) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** A tar archive of many empty files, written without the cost of `tar-stream`. */
export function emptyFiles(count: number): Buffer {
  const header = Buffer.alloc(512)
  for (const [text, at] of [
    ['0000644\0', 100],
    ['00000000000\0', 124],
    ['        0', 148],
    ['ustar\x0000', 257],
  ] as const)
    header.write(text, at, 'latin1')
  const all = Buffer.alloc(512 * (count + 2))
  const sumOf = (bytes: Buffer) => bytes.reduce((sum, byte) => sum + byte, 0)
  const headerSum = sumOf(header)
  for (let file = 0; file < count; file++) {
    const own = all.subarray(512 * file, 512 * (file + 1))
    header.copy(own)
    const length = own.write(`package/${file}.md`, 0)
    const sum = headerSum + sumOf(own.subarray(0, length))
    own.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  }
  return all
}
