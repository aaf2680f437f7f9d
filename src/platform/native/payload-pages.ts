import { readFileSync, readlinkSync } from 'node:fs'
import { openForeign } from './foreign.ts'

/** MADV_PAGEOUT, since Linux 5.4. No data is lost: changed pages stay, others are on disk. */
const pageOut = 21
/** Minimum size of the mapping with the bundled files; the mapping is private and writable too. */
const smallestPayload = 16 * 2 ** 20

/**
 * Releases the memory pages of the bundled files once they are unpacked. Otherwise about 80 MB
 * would count as memory of this process while it runs. Does nothing on systems other than Linux, on
 * a Linux without the call, and without bun:ffi.
 */
export function forgetPayloadPages(): void {
  if (process.platform !== 'linux') return
  const maps = readFileSync('/proc/self/maps', 'utf8')
  const mapping = payloadMapping(maps, readlinkSync('/proc/self/exe'))
  if (mapping === null) return
  const libc = openForeign('libc.so.6', {
    madvise: { args: ['u64', 'u64', 'i32'], returns: 'i32' },
  })
  libc?.symbols.madvise(mapping.start, mapping.end - mapping.start, pageOut)
  libc?.close()
}

/** Finds the mapping of the files bundled with `executable` in the text of `/proc/self/maps`. */
export function payloadMapping(
  maps: string,
  executable: string,
): { start: bigint; end: bigint } | null {
  for (const line of maps.split('\n')) {
    const [, from, to, path] = /^([\da-f]+)-([\da-f]+) rw-p \S+ \S+ \d+ +(.*)$/.exec(line) ?? []
    if (path !== executable) continue
    const [start, end] = [BigInt(`0x${from}`), BigInt(`0x${to}`)]
    if (end - start >= smallestPayload) return { start, end }
  }
  return null
}
