import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sizeOnDisk, formatBytes } from '../../../src/platform/file/space.ts'

test('formats bytes for people', () => {
  const check = (bytes: number, expected: string) => expect(formatBytes(bytes)).toBe(expected)
  check(0, '0 B')
  check(999, '999 B')
  check(1000, '1.0 kB')
  check(34_210_000, '34.2 MB')
  check(248_900_000, '249 MB')
  check(2e15, '2000 TB')
})

test('adds up the sizes of the files below a folder without following links', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'size-'))
  mkdirSync(join(folder, 'a'))
  writeFileSync(join(folder, 'a', 'b'), 'x'.repeat(1000))
  writeFileSync(join(folder, 'c'), 'x')
  expect(await sizeOnDisk(folder)).toBe(1001)
  symlinkSync('/usr', join(folder, 'link'))
  expect(await sizeOnDisk(folder)).toBeLessThan(1100)
  expect(await sizeOnDisk(join(folder, 'none'))).toBe(0)
  rmSync(folder, { recursive: true })
})
