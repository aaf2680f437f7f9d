import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256, sha256OfFile, verifyFile } from '../../src/platform/hash.ts'

// The test vector of FIPS 180-4 for "abc".
const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'og-hash-'))
  path = join(folder, 'file')
  writeFileSync(path, 'abc')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('hashes text, bytes and a file to the same value', async () => {
  expect(sha256('abc')).toBe(abc)
  expect(sha256(new Uint8Array([97, 98, 99]))).toBe(abc)
  expect(await sha256OfFile(path)).toBe(abc)
})

test('reports the path of an unreadable file', async () => {
  await expect(sha256OfFile(join(folder, 'none'))).rejects.toThrow(`Cannot read "${folder}/none"`)
  await check('Cannot read', { of: join(folder, 'none') })
})

test('reports both hashes if the content differs', () =>
  check(`Cannot use "${path}": sha256 is ${abc}, expected ${'0'.repeat(64)}`, {
    sha256: '0'.repeat(64),
  }))

test('verifies a file again after it has changed', async () => {
  await check('fine')
  expect(readdirSync(join(folder, 'stamps')).length).toBe(1)
  await check('fine')
  writeFileSync(path, 'abd')
  utimesSync(path, new Date(0), new Date(0))
  await check('Cannot use')
})

test('does not read a file that has a stamp', async () => {
  await check('fine')
  const [stamp] = readdirSync(join(folder, 'stamps'))
  const stampPath = join(folder, 'stamps', stamp!)
  const text = await Bun.file(stampPath).text()
  // A stamp with another hash for this state of the file is trusted, so the file is not read.
  writeFileSync(stampPath, text.replace(abc, '0'.repeat(64)))
  await check('fine', { sha256: '0'.repeat(64) })
})

test('finds the stamp of a file that is named by another path', async () => {
  await check('fine')
  const link = join(folder, 'link')
  symlinkSync(folder, link)
  await check('fine', { of: join(link, 'file') })
  expect(readdirSync(join(folder, 'stamps'))).toHaveLength(1)
})

test('ignores a stamp that others may have written', async () => {
  await check('fine')
  const [stamp] = readdirSync(join(folder, 'stamps'))
  const stampPath = join(folder, 'stamps', stamp!)
  const text = await Bun.file(stampPath).text()
  writeFileSync(stampPath, text.replace(abc, '0'.repeat(64)))
  chmodSync(join(folder, 'stamps'), 0o777)
  await check('Cannot use', { sha256: '0'.repeat(64) })
})

test('verifies without a stamp if the folder is not writable', async () => {
  await check('fine', { stampFolder: join(path, 'stamps') })
  await check('fine', { stampFolder: null })
})

async function check(
  expected: string,
  options: { of?: string; sha256?: string; stampFolder?: string | null } = {},
): Promise<void> {
  const settings = { sha256: abc, stampFolder: join(folder, 'stamps'), ...options }
  const said = await verifyFile(options.of ?? path, settings).then(() => 'fine', String)
  expect(said).toContain(expected)
}
