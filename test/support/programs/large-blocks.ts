/**
 * Allocates ten blocks of 10 MB from glibc, frees them between small ones that stay, and prints by
 * how many bytes the process has grown: `large-blocks.ts kept|returned`.
 */
import { dlopen, type Pointer, toArrayBuffer } from 'bun:ffi'
import { returnLargeBlocks } from '../../../src/platform/garbage.ts'
import { residentBytes } from '../resident.ts'

const libc = dlopen('libc.so.6', {
  malloc: { args: ['u64'], returns: 'ptr' },
  free: { args: ['ptr'], returns: 'void' },
}).symbols

function take(bytes: number): Pointer {
  const block = libc.malloc(bytes) as Pointer
  new Uint8Array(toArrayBuffer(block, 0, bytes)).fill(1)
  return block
}

if (process.argv[2] === 'returned') returnLargeBlocks()
libc.free(take(30e6))
const before = residentBytes(process.pid)
const blocks = Array.from({ length: 10 }, () => [take(10e6), take(100e3)] as const)
for (const [large] of blocks) libc.free(large)
process.stdout.write(`${residentBytes(process.pid) - before}\n`)
