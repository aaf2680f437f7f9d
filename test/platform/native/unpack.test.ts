import { expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import type {
  BundledFiles,
  BundledFile,
  BundledPart,
} from '../../../src/platform/native/bundled.ts'
import { damagedFiles, isUnpacked, unpack, bootId } from '../../../src/platform/native/unpack.ts'
import { startScript } from '../../support/child.ts'
import { rewriteUnnoticed } from '../../support/unnoticed.ts'
import { openEach } from '../../support/run/dispose.ts'

const contents: Record<string, Buffer> = {
  'lancedb.node': Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 31 + (i >> 8)) & 255)),
  'model.onnx': Buffer.alloc(200_000, 'model'),
  'empty.json': Buffer.alloc(0),
}

const temp = openEach(() => createTempFolder("og unpack 'ü"))
const root = () => join(temp().path, 'cache', 'natives')

/** A set of files as in the executable, except that only one of them is compressed. */
function embeddedSet(): BundledFiles {
  const files = Object.entries(contents).map(([name, content]): BundledFile => {
    const path = join(temp().path, `${name}.stored`)
    writeFileSync(path, content)
    const parts = name === 'lancedb.node' ? storeInParts(path, content) : null
    return { name, path, sizeBytes: content.length, sha256: sha256(content), parts }
  })
  return { hash: 'h1', files }
}

/** Stores the content in three parts; the last is the shortest. */
function storeInParts(path: string, content: Buffer): BundledPart[] {
  const frames: Uint8Array[] = []
  const parts = [0, 140_000, 280_000].map((start) => {
    const part = content.subarray(start, start + 140_000)
    const frame = zstdCompressSync(part, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    frames.push(frame)
    return { storedBytes: frame.length, start }
  })
  writeFileSync(path, Buffer.concat(frames))
  return parts
}

/** Unpacks the set, and checks that the folder contains all of its files and no others. */
async function check(embedded: BundledFiles, options: { verify?: boolean } = {}) {
  const folder = await unpack(embedded, root(), options)
  expect(folder).toBe(join(root(), 'h1'))
  expectWhole(folder)
}

/** The files are unpacked without write permission, which restricts every user but root. */
function damage(name: string, way: (path: string) => void) {
  chmodSync(join(root(), 'h1', name), 0o700)
  way(join(root(), 'h1', name))
}

function expectWhole(folder: string) {
  expect(readdirSync(root()).sort()).toEqual(['.lock', 'h1'])
  expect(readdirSync(folder).sort()).toEqual(
    [...Object.keys(contents), 'lease', 'unpacked.json'].sort(),
  )
  for (const [name, content] of Object.entries(contents)) {
    expect(readFileSync(join(folder, name)).equals(content)).toBe(true)
  }
}

test('unpacks a set once', async () => {
  const embedded = embeddedSet()
  expect(await isUnpacked(embedded, root())).toBe(false)
  await check(embedded)
  const { ino } = statSync(join(root(), 'h1'))
  expect(await isUnpacked(embedded, root())).toBe(true)
  await check(embedded, { verify: true })
  expect(statSync(join(root(), 'h1')).ino).toBe(ino)
  expect(statSync(join(root(), 'h1', 'lancedb.node')).mode & 0o777).toBe(0o500)
})

test('lets several first starts succeed at once', async () => {
  const file = join(temp().path, 'embedded.json')
  writeFileSync(file, JSON.stringify(embeddedSet()))
  const children = Array.from({ length: 4 }, () => startScript('unpacker.ts', [file, root()]))
  const folders = await Promise.all(children.map((child) => child.line()))
  expect(folders).toEqual(Array(4).fill(join(root(), 'h1')))
  expectWhole(join(root(), 'h1'))
})

test('repairs a set in several starts at once, without deleting files in use', async () => {
  const embedded = embeddedSet()
  await check(embedded)
  damage('model.onnx', (path) => truncateSync(path, 5))
  const file = join(temp().path, 'embedded.json')
  writeFileSync(file, JSON.stringify(embedded))
  const children = Array.from({ length: 4 }, () => startScript('unpacker.ts', [file, root()]))
  await Promise.race(children.map((child) => child.line()))
  const { ino } = statSync(join(root(), 'h1'))
  await Promise.all(children.map((child) => child.exited))
  expect(statSync(join(root(), 'h1')).ino).toBe(ino)
  expectWhole(join(root(), 'h1'))
})

test('repairs damage', async () => {
  const embedded = embeddedSet()
  const ways: ((path: string) => void)[] = [
    (path) => truncateSync(path, 1000),
    (path) => rmSync(path),
    (path) => writeFileSync(path, Buffer.alloc(statSync(path).size, 1)),
    (path) => rmSync(join(path, '..', 'unpacked.json')),
    (path) => writeFileSync(join(path, '..', 'unpacked.json'), '[]'),
    (path) => rmSync(join(path, '..'), { recursive: true }),
  ]
  for (const way of ways) {
    await check(embedded)
    damage('lancedb.node', way)
    expect(await isUnpacked(embedded, root())).toBe(false)
  }
  await check(embedded)
})

test('detects by hashing that a byte changed although the file times did not', async () => {
  const embedded = embeddedSet()
  await check(embedded)
  damage('model.onnx', (it) => rewriteUnnoticed(it, Buffer.alloc(statSync(it).size, 1)))
  expect(await damagedFiles(embedded, join(root(), 'h1'))).toEqual(['model.onnx'])
  await check(embedded, { verify: true })
})

test('sets file times to whole seconds, which survive an archive', async () => {
  const embedded = embeddedSet()
  await check(embedded)
  const script = 'mkdir copy && tar c h1 | (cd copy && tar x)'
  const copied = Bun.spawnSync(['sh', '-c', script], { cwd: root() })
  expect(copied.exitCode).toBe(0)
  expect(await isUnpacked(embedded, join(root(), 'copy'))).toBe(true)
})

test('leaves no partial set of files after kill -9', async () => {
  const embedded = embeddedSet()
  // The writer of this pipe sends one part of the file and withholds the rest.
  const stuck = join(temp().path, 'stuck')
  Bun.spawnSync(['mkfifo', stuck])
  const script = `exec 3>"$0"; head -c 100000 /dev/zero >&3; exec sleep 60`
  const writer = Bun.spawn(['sh', '-c', script, stuck])
  const file = join(temp().path, 'embedded.json')
  const files = embedded.files.map((it) => (it.name === 'model.onnx' ? { ...it, path: stuck } : it))
  writeFileSync(file, JSON.stringify({ ...embedded, files }))
  const child = startScript('unpacker.ts', [file, root()])
  const isStuck = () =>
    existsSync(root()) &&
    readdirSync(root()).some((it) => existsSync(join(root(), it, 'model.onnx')))
  while (!isStuck()) await Bun.sleep(5)
  await child.kill()
  writer.kill()
  expect(await isUnpacked(embedded, root())).toBe(false)
  await check(embedded)
})

test('reports a damaged executable and leaves no files', async () => {
  for (const name of ['model.onnx', 'lancedb.node']) {
    const embedded = embeddedSet()
    const path = join(temp().path, `${name}.stored`)
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill('other', bytes.length >> 1))
    const message = `Cannot unpack ${name}: the executable is damaged`
    await expect(unpack(embedded, root())).rejects.toThrow(message)
    expect(readdirSync(root())).toEqual(['.lock'])
  }
})

test('uses an unpacked set in a read-only folder, and reports other read-only folders', async () => {
  const embedded = embeddedSet()
  const file = join(temp().path, 'embedded.json')
  writeFileSync(file, JSON.stringify(embedded))
  await check(embedded)
  rmSync(join(root(), '.lock'))
  chmodSync(root(), 0o500)
  const reader = startScript('unpacker.ts', [file, root()], { obeyModes: true })
  expect(await reader.line()).toBe(join(root(), 'h1'))
  damage('model.onnx', (path) => truncateSync(path, 5))
  const repairer = startScript('unpacker.ts', [file, root()], { obeyModes: true })
  expect(await repairer.line()).toContain(`OgError: Cannot lock the unpacked files in ${root()}`)
  chmodSync(root(), 0o700)
  expect(readdirSync(root())).toEqual(['h1'])
})

test('returns the same id during one boot, if the system has one', () => {
  expect(bootId()).toMatch(process.platform === 'linux' ? /^[-0-9a-f]{36}$/ : /^$/)
  expect(bootId()).toBe(bootId())
})
