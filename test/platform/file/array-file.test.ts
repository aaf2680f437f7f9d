import { expect, test } from 'bun:test'
import {
  decodeArrayFile,
  encodeArrayFile,
  numbersAt,
} from '../../../src/platform/file/array-file.ts'

type Head = { format: number; name: string }

const head: Head = { format: 3, name: 'ü' }
const bytes = Buffer.concat([
  ...encodeArrayFile(head, [Uint8Array.of(1, 2, 3), new Uint16Array(), Uint32Array.of(7, 2 ** 31)]),
])

test('returns the written header and arrays, also at an unaligned address', () => {
  for (const shift of [0, 1]) {
    const moved = Buffer.alloc(bytes.length + shift)
    bytes.copy(moved, shift)
    const { head: read, parts } = decodeArrayFile<Head>(moved.subarray(shift), [2, 3])!
    expect(read).toMatchObject(head)
    expect(numbersAt(Uint8Array, parts[0]!)).toEqual(Uint8Array.of(1, 2, 3))
    expect(numbersAt(Uint16Array, parts[1]!)).toEqual(new Uint16Array())
    expect(numbersAt(Uint32Array, parts[2]!)).toEqual(Uint32Array.of(7, 2 ** 31))
  }
})

test('returns null for an unknown format', () => {
  expect(decodeArrayFile<Head>(bytes, [4])).toBeNull()
})
