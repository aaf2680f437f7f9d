import { beforeEach, expect, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import type { BundledFiles } from '../../../src/platform/native/bundled.ts'
import { openNatives } from '../../../src/platform/native/unpack.ts'
import { testWhere } from '../../support/where.ts'
import { openEach } from '../../support/run/dispose.ts'

const lackOfRoot = process.getuid?.() === 0 ? null : 'only root can give a file to another user'

const lackOfLinux = process.platform === 'linux' ? null : 'only Linux has /proc'

const temp = openEach(() => createTempFolder("og ours 'ü"))
const folder = () => join(temp().path, 'set')
const stampFolder = () => join(temp().path, 'verified')
beforeEach(() => {
  mkdirSync(folder(), { mode: 0o700 })
  for (const name of names) writeFileSync(join(folder(), name), contentOf(name), { mode: 0o500 })
})

const names = ['kernels.so', 'lancedb.node']
const contentOf = (name: string) => `the bytes of ${name}`
const embedded: BundledFiles = {
  hash: 'h1',
  files: names.map((name) => {
    const content = contentOf(name)
    return { name, path: '', sizeBytes: content.length, sha256: sha256(content), parts: null }
  }),
}

async function check(foreign: string[]): Promise<string> {
  const opened = await openNatives(embedded, folder(), { stampFolder: stampFolder() })
  expect(opened.foreign).toEqual(foreign)
  return opened.through
}

/** Replaces the content by other bytes of the same length, and keeps the file times. */
function replaceUnseen(name: string): void {
  const path = join(folder(), name)
  const { atime, mtime } = statSync(path)
  chmodSync(path, 0o700)
  writeFileSync(path, contentOf(name).toUpperCase())
  chmodSync(path, 0o500)
  utimesSync(path, atime, mtime)
}

test('hashes once, and again after a change that keeps the file times', async () => {
  await check([])
  const stamp = join(stampFolder(), 'h1')
  expect(statSync(stamp).mode & 0o777).toBe(0o600)
  const { ino } = statSync(stamp)
  await check([])
  expect(statSync(stamp).ino).toBe(ino)
  replaceUnseen('kernels.so')
  await check(['kernels.so'])
})

test('hashes again after a reboot', async () => {
  replaceUnseen('kernels.so')
  // A stamp from another boot differs only in its first line.
  await openNatives(embedded, folder(), { stampFolder: stampFolder(), isHashed: true })
  await check([])
  const stamp = join(stampFolder(), 'h1')
  const [boot, ...rest] = readFileSync(stamp, 'utf8').split('\n')
  expect(boot).toMatch(process.platform === 'linux' ? /^[-0-9a-f]{36}$/ : /^$/)
  writeFileSync(stamp, ['another boot', ...rest].join('\n'))
  await check(['kernels.so'])
})

test('ignores a stamp that others may have written', async () => {
  replaceUnseen('lancedb.node')
  await openNatives(embedded, folder(), { stampFolder: stampFolder(), isHashed: true })
  await check([])
  chmodSync(stampFolder(), 0o777)
  await check(['lancedb.node'])
})

test('rejects files that other users may change, even if the bytes are correct', async () => {
  chmodSync(join(folder(), 'kernels.so'), 0o722)
  await check(['kernels.so'])
  chmodSync(join(folder(), 'kernels.so'), 0o500)
  renameSync(join(folder(), 'lancedb.node'), join(temp().path, 'elsewhere'))
  symlinkSync('../elsewhere', join(folder(), 'lancedb.node'))
  await check(['lancedb.node'])
  chmodSync(folder(), 0o777)
  await check(['the folder itself'])
})

testWhere(lackOfRoot)('distrusts files of another user', async () => {
  chownSync(join(folder(), 'lancedb.node'), 65534, 65534)
  await check(['lancedb.node'])
  chownSync(folder(), 65534, 65534)
  await check(['the folder itself'])
})

testWhere(lackOfLinux)('loads the files that were checked', async () => {
  const through = await check([])
  renameSync(folder(), `${folder()}-aside`)
  mkdirSync(folder())
  writeFileSync(join(folder(), 'kernels.so'), 'of another')
  expect(readFileSync(join(through, 'kernels.so'), 'utf8')).toBe(contentOf('kernels.so'))
  expect(realpathSync(through)).toBe(`${folder()}-aside`)
})

test('hashes at every start if no stamp can be written', async () => {
  writeFileSync(stampFolder(), 'a file where a folder has to be')
  await check([])
  expect(existsSync(join(stampFolder(), 'h1'))).toBe(false)
  replaceUnseen('kernels.so')
  await check(['kernels.so'])
})
