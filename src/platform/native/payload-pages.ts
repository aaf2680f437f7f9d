import { dlopen } from 'bun:ffi'
import { readFileSync, readlinkSync } from 'node:fs'

/** MADV_PAGEOUT, since Linux 5.4. What was changed in memory stays; the rest is on disk. */
const pageOut = 21
/** What the executable carries is mapped privately and for writing, and is larger than this. */
const smallestPayload = 16 * 2 ** 20

/**
 * Lets go of what this executable carries, once it is unpacked: the system would count what was
 * read of it, some 80 MB, as memory of this process for as long as that runs. Only on Linux; where
 * the system cannot, nothing happens.
 */
export function forgetPayloadPages(): void {
  if (process.platform !== 'linux') return
  const maps = readFileSync('/proc/self/maps', 'utf8')
  const mapped = payloadMapping(maps, readlinkSync('/proc/self/exe'))
  if (mapped === null) return
  const { symbols, close } = dlopen('libc.so.6', {
    madvise: { args: ['u64', 'u64', 'i32'], returns: 'i32' },
  })
  symbols.madvise(mapped.start, mapped.end - mapped.start, pageOut)
  close()
}

/** Where the files that `executable` carries are, by the lines of `/proc/self/maps`. */
export function payloadMapping(
  maps: string, executable: string,
): { start: bigint; end: bigint } | null {
  for (const line of maps.split('\n')) {
    const [, from, to, path] = /^([\da-f]+)-([\da-f]+) rw-p \S+ \S+ \d+ +(.*)$/.exec(line) ?? []
    if (path !== executable) continue
    const [start, end] = [BigInt(`0x${from}`), BigInt(`0x${to}`)]
    if (end - start >= smallestPayload) return { start, end }
  }
  return null
}
