import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { checkPackFile } from '../../../src/library/pack/check-pack.ts'
import type { PackManifest } from '../../../src/library/pack/pack-format.ts'
import { tarHeader } from '../../../src/library/pack/tar.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { hostilePages, page, writeHostile } from '../../support/pack/hostile.ts'
import {
  openPackWorld,
  packParts,
  writeLampPack,
  writeManifestOf,
  writeParts,
  type PackParts,
} from '../../support/pack/packs.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'
import { openPackFile, toChunkRows } from '../../../src/library/pack/read-pack.ts'

const temp = disposeAfterAll(await createTempFolder('og-read-pack'))
const path = await writeLampPack(temp.path)
const bytes: Buffer = readFileSync(path)

test('accepts an undamaged pack', () => {
  const { manifest } = checkPackFile(path)
  expect(manifest).toMatchObject({ library: 'lamp', version: '1', pages: 14, vectors: 'f32' })
})

test('reports in one line that a file is not a pack', () => {
  checkBytes('it is not a tar archive', Buffer.alloc(20_000))
  checkBytes('it is cut off', bytes.subarray(0, 400))
  checkBytes('it is cut off', bytes.subarray(0, 2000))
  checkBytes('it is cut off', bytes.subarray(0, -3000))
  checkBytes('it does not begin with manifest.json', Buffer.concat([tarHeader('x', 1), bytes]))
  const huge = Buffer.concat([tarHeader('manifest.json', 2 ** 32), bytes])
  checkBytes('its manifest is 4294967296 bytes, limit is 67108864', huge)
  expect(() => checkPackFile(join(temp.path, 'none.ogpack'))).toThrow('no such file')
  mkdirSync(join(temp.path, 'folder.ogpack'))
  expect(() => checkPackFile(join(temp.path, 'folder.ogpack'))).toThrow('it is a folder')
})

test('rejects an inconsistent manifest before it reads other files', () => {
  const check = (expected: string, changed: Partial<PackManifest>) =>
    checkManifest(expected, (manifest) => ({ ...manifest, ...changed }))
  checkManifest('its manifest is not JSON', () => 'x')
  checkManifest('it is nested deeper than 500 levels', () => '['.repeat(100_000))
  checkManifest('its manifest is not an object', () => [])
  check('its format is 2, this og knows 1', { format: 2 })
  check('its manifest.format is not 1', { format: 0 })
  check('Cannot use library name "../x"', { library: '../x' })
  check('Cannot use version', { version: 'a\n' })
  check('its manifest.pages is not a count', { pages: -1 })
  check('its members have a different number of pages', { pages: 150_000 })
  check('it has 1099511627776 pages, limit is 200000', { pages: 2 ** 40 })
  check('it has 1099511627776 chunks, limit is 2000000', { chunks: 2 ** 40 })
  check('its members have a different number of embeddings', { chunks: 1 })
  check('it contains no pages', { pages: 0 })
  check('it has embeddings, but says that it has none', { vectors: 'none' })
  check('its embeddings have a different length than the manifest says', { vectors: 'int8' })
  check('its manifest.vectors is not one of f32', { vectors: 'f8' as 'f16' })
  check('it does not say which model made its embeddings', { fingerprint: null })
  const fingerprint = { model: 'm', pooling: 'p', queryPrefix: '', dimensions: 1e9 }
  check('its embeddings have 1000000000 dimensions', { fingerprint })
  check('its manifest.contentHash is not a SHA-256', { contentHash: '../../etc/passwd' })
  check('its manifest.calibration.own is not a cosine', { calibration: { own: 9, foreign: 0 } })
  check('its manifest.title is not a text of one line', { title: '\x1b[2J' })
  check('its manifest.title is not a text of one line', { title: 'a\u202eb' })
  check('its manifest.commit is not a text of one line', { commit: '\x9b2J' })
  check('Cannot use version', { version: '1\u2066' })
  const { source } = packParts(path).manifest
  for (const odd of [{ url: 'https://x.example/\x1b[2J' }, { docsPaths: ['docs', '\x07'] }]) {
    check(`${Object.keys(odd)[0]} in its manifest contains control characters`, {
      source: { ...source, ...odd } as PackManifest['source'],
    })
  }
  const ahead = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const noDates = [
    ahead,
    '2026-01-01T00:00:00Z\x1b[2J',
    '\x1b[2J',
    '(\x1b[2J) 2026-01-01',
    '2026-01-01',
    '1',
    'Tue, 24 Nov 2026 06:00:00 GMT',
    '2026-13-01T00:00:00Z',
    '',
  ]
  for (const indexedAt of noDates) {
    check('its manifest.indexedAt is not a date in UTC that is not in the future', { indexedAt })
  }
  check('its manifest.source is not a source', { source: 'x' as never })
  const member = (changed: object) => (manifest: PackManifest) => ({
    ...manifest,
    members: manifest.members.map((it) => ({ ...it, ...changed })),
  })
  checkManifest('members[0].sha256 is not a SHA-256', member({ sha256: '../x' }))
  checkManifest('members[0].size is not a count of at most', member({ size: 2 ** 40 }))
  checkManifest('members[0].kind is not one of', member({ kind: 'program' }))
  checkManifest('of it would become', member({ size: 2 ** 26, packed: 10 }))
  const many = Array.from({ length: 200_001 }, () => ({
    kind: 'pages',
    sha256: 'a'.repeat(64),
    size: 1,
    packed: 1,
    rows: 0,
  }))
  checkManifest('it has 200001 members, limit is 200000', (it) => ({ ...it, members: many }))
})

test('rejects a member that differs from the manifest', () => {
  const { manifest } = packParts(path)
  const other = Buffer.from(bytes)
  other[bytes.lastIndexOf(`${manifest.members[0]!.sha256}.zst`)]! ^= 1
  checkBytes('a header of the tar is damaged', other)
  for (let place = bytes.length - 5000; place < bytes.length - 1100; place += 331) {
    const flipped = Buffer.from(bytes)
    flipped[place]! ^= 0x10
    const padding = bytes[place] === 0 && flipped[place] === 0x10
    if (!padding) expect(() => checkPackFile(written(flipped))).toThrow(/Cannot use pack/)
  }
})

test('does not decompress a bomb that the manifest declares', () => {
  const bomb = zstdCompressSync(Buffer.alloc(2 ** 28))
  const parts = packParts(path)
  const size = parts.contents[0]!.length
  const to = join(temp.path, 'bomb.ogpack')
  writeParts(to, { ...parts, contents: [Buffer.alloc(size), ...parts.contents.slice(1)] })
  const made = readFileSync(to)
  // The hashes match the manifest, so only decompression detects the bomb.
  const { manifest } = packParts(to)
  const packed = manifest.members[0]!.packed
  const place = made.indexOf('.zst') - 64 + 512
  bomb.copy(made, place, 0, packed)
  writeFileSync(to, made)
  expect(() => checkPackFile(to)).toThrow(/a member is (damaged|not what its manifest says)/)
})

test('rejects invalid contents even if their hashes match', () => {
  const changed =
    (kind: 'pages' | 'embeddings', change: (content: Buffer) => Buffer) => (parts: PackParts) => ({
      ...parts,
      contents: parts.contents.map((content, i) =>
        parts.manifest.members[i]!.kind === kind ? change(content) : content,
      ),
    })
  const text = (change: (text: string) => string) =>
    changed('pages', (content) => Buffer.from(change(content.toString())))
  const place = /\["[^"]*",\d+,\d+,/
  checkParts(
    'a chunk is not in its page',
    text((it) => it.replace(place, '["",0,9999,')),
  )
  checkParts(
    'its pages differ from its manifest',
    text((it) => it.replace('oil', 'gas')),
  )
  checkParts(
    'a page has no known markup',
    text((it) => it.replace('"markdown"', '"html"')),
  )
  const stuffed = text((it) => it.replace(/(\["[^"]*",\d+,\d+,")/, '$1wick5 '))
  checkParts('the index terms of a chunk are not those of its text', stuffed)
  const headed = text((it) =>
    it.replace(
      /\["([^"]+)",(\d+),/,
      (_, heading, start) => `["${heading.toUpperCase()}",${start},`,
    ),
  )
  checkParts('an embedding does not belong to the text', headed)
  checkParts(
    'a member has other pages',
    text((it) => it + it.split('\n')[0] + '\n'),
  )
  const moved = text((it) => it.replace('doc:/p1.md', 'doc:/z'))
  checkParts('not in the order of their addresses', moved)
  const nan = changed('embeddings', (it) => Buffer.from(it).fill(0xff, it.length / 2))
  checkParts('an embedding has length NaN', nan)
  const twice = (parts: PackParts) => {
    const members = [...parts.manifest.members, parts.manifest.members.at(-1)!]
    return {
      manifest: { ...parts.manifest, members, pages: parts.manifest.pages + members.at(-1)!.rows },
      contents: [...parts.contents, parts.contents.at(-1)!],
    }
  }
  checkParts(/different number of|not in the order/, twice)
})

test.each([
  ['wholePage', 'the chunks of a page come to 2097152000 characters, limit is 3145728'],
  ['title', 'the titles and headings of the chunks of a page come to 500080000 characters'],
  ['url', 'the titles and headings of the chunks of a page come to 495150000 characters'],
  ['headings', 'the titles and headings of the chunks of a page come to 60012000 characters'],
  ['characters', 'a page of 1048576 characters has 1048576 chunks'],
] as const)('refuses a small pack that would become large: %s', async (name, expected) => {
  const to = writeHostile(join(temp.path, 'hostile.ogpack'), hostilePages[name]())
  refused(expected, to)
  using world = openPackWorld(join(temp.path, name))
  await expect(world.packs.add({ path: to, library: null, lockTimeoutMs: 1000 })).rejects.toThrow(
    expected,
  )
})

test('rejects names and addresses with control characters', () => {
  for (const name of ['url', 'path', 'last_modified', 'validator']) {
    for (const character of ['\x1b', '\n', '\x7f', '\x9b', '\u202e']) {
      const one = page({ text: 'x', [name]: `a${character}` }, [['', 0, 1]])
      const to = writeHostile(join(temp.path, 'hostile.ogpack'), [one])
      refused(`the ${name} of a page contains control characters`, to)
    }
  }
})

function written(content: Uint8Array): string {
  const to = join(temp.path, 'changed.ogpack')
  writeFileSync(to, content)
  return to
}

function refused(expected: string | RegExp, to: string): void {
  let message = ''
  try {
    checkPackFile(to)
  } catch (error) {
    message = String((error as Error).message)
  }
  expect(message).toMatch(expected)
  expect(message).toStartWith('Cannot use pack ')
  expect(message).not.toContain('\n')
}

function checkBytes(expected: string, content: Uint8Array): void {
  refused(expected, written(content))
}

function checkManifest(expected: string, change: (manifest: PackManifest) => unknown): void {
  refused(expected, writeManifestOf(path, join(temp.path, 'changed.ogpack'), change))
}

function checkParts(expected: string | RegExp, change: (parts: PackParts) => PackParts): void {
  refused(expected, writeParts(join(temp.path, 'changed.ogpack'), change(packParts(path))))
}

test('creates chunk rows with line numbers and the terms of their texts', async () => {
  await using temp = await createTempFolder('og-packed-rows')
  const one = page({ text: 'Oil\n\nlight\n' }, [
    ['', 0, 5],
    ['Use > More', 5, 11],
  ])
  using pack = openPackFile(writeHostile(join(temp.path, 'x.ogpack'), [one]))
  expect([...toChunkRows(pack, one)]).toMatchObject([
    { content: 'Oil\n\n', chunk_index: 0, start_line: 1, end_line: 1 },
    { content: 'light\n', heading: 'Use > More', chunk_index: 1, start_line: 3, end_line: 3 },
  ])
})

test('rejects terms that are missing from the text, and recomputes terms of another analyser', async () => {
  await using temp = await createTempFolder('og-packed-rows')
  const stuffed = page({ text: 'Oil' }, [['', 0, 3, 'lamp lamp index oil gas']])
  const rowsBy = (chunker: object) => {
    using pack = openPackFile(writeHostile(join(temp.path, 'x.ogpack'), [stuffed], chunker))
    return [...toChunkRows(pack, stuffed)]
  }
  expect(() => rowsBy({})).toThrow('the index terms of a chunk are not those of its text')
  const [row] = rowsBy({ chunker: '2/terms-0/parser-3/pages-5/default/0' })
  expect(row!.terms).toBe('lamp lamp index oil')
})
