import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { openTar } from '../../../src/source/archive/tar-archive.ts'
import { sizeLimitBytes } from '../../../src/source/select/select.ts'
import { archiveBytes, tarEntries, type TarEntry } from '../../support/pages/archive.ts'

const open = async (entries: readonly TarEntry[]) =>
  openTar(archiveBytes(await tarEntries(entries)))

const docs: TarEntry[] = [
  { name: 'r/docs/', type: 'directory' },
  { name: 'r/docs/a.md', text: '# Ä' },
  { name: 'r/link.md', type: 'symlink', linkname: '/etc/passwd' },
  { name: 'r/hard.md', type: 'link', linkname: 'r/docs/a.md' },
  { name: 'r/pipe.md', type: 'fifo' },
  { name: '../b.md', text: '# B' },
  { name: 'r/empty.md', text: '' },
  { name: 'r/c.md', type: 'contiguous-file', text: '# C' },
]

async function contentsOf(bytes: Buffer, paths: string[]): Promise<string[]> {
  const { contents } = await openTar(archiveBytes(bytes))
  const all = await Array.fromAsync(contents(new Set(paths)))
  return all.map((content) =>
    'bytes' in content ? `${content.path}: ${content.bytes}` : 'refused',
  )
}

const check = async (bytes: Buffer, reason: string) =>
  expect(await openTar(archiveBytes(bytes)).catch((error: Error) => error.message)).toBe(reason)

test('lists files in archive order and reports non-files', async () => {
  const { files } = await open(docs)
  expect(files.map(({ path, sizeBytes, refusal: refused }) => [path, sizeBytes, refused])).toEqual([
    ['r/docs/a.md', 4, null],
    ['r/link.md', 0, 'a link'],
    ['r/hard.md', 0, 'a link'],
    ['r/pipe.md', 0, 'no file'],
    ['../b.md', 3, null],
    ['r/empty.md', 0, null],
    ['r/c.md', 3, null],
  ])
})

test('reads selected files in archive order, compressed or not, and never links', async () => {
  const paths = [
    'r/empty.md',
    '../b.md',
    'r/link.md',
    'r/hard.md',
    'r/pipe.md',
    'none.md',
    'r/c.md',
  ]
  const bytes = await tarEntries(docs)
  for (const packed of [bytes, gzipSync(bytes)]) {
    expect(await contentsOf(packed, paths)).toEqual(['../b.md: # B', 'r/empty.md: ', 'r/c.md: # C'])
    expect(await contentsOf(packed, [])).toEqual([])
  }
})

test('reads a link in the archive as its target if the link has the name of a page', async () => {
  const linked = await tarEntries([
    { name: 'r/docs/a.md', type: 'symlink', linkname: '../src/text/a.md' },
    { name: 'r/src/text/a.md', text: '# A' },
    { name: 'r/docs/b.md', type: 'symlink', linkname: '../../../b.md' },
    { name: 'r/docs/c.md', type: 'symlink', linkname: '/r/src/text/a.md' },
    { name: 'r/docs/d.md', type: 'symlink', linkname: 'd.md' },
    { name: 'r/docs/e.zip', type: 'symlink', linkname: '../src/text/a.md' },
  ])
  const { files } = await openTar(archiveBytes(linked))
  expect(files.map(({ path, sizeBytes, refusal }) => `${path} ${sizeBytes} ${refusal}`)).toEqual([
    'r/docs/a.md 3 null',
    'r/src/text/a.md 3 null',
    'r/docs/b.md 0 a link',
    'r/docs/c.md 0 a link',
    'r/docs/d.md 0 a link',
    'r/docs/e.zip 0 a link',
  ])
  expect(await contentsOf(linked, ['r/docs/a.md'])).toEqual(['r/docs/a.md: # A'])
  expect(await contentsOf(linked, ['r/docs/a.md', 'r/src/text/a.md'])).toEqual([
    'r/src/text/a.md: # A',
    'r/docs/a.md: # A',
  ])
})

test('yields a repeated path twice, and allows several passes', async () => {
  const { contents } = await open([
    { name: 'a', text: '1' },
    { name: 'a', text: '2' },
  ])
  for (let time = 0; time < 2; time++) {
    const all = await Array.fromAsync(contents(new Set(['a'])))
    expect(all).toMatchObject([{ bytes: Buffer.from('1') }, { bytes: Buffer.from('2') }])
  }
})

test('stops reading the archive when the consumer stops', async () => {
  const { contents } = await open([
    { name: 'a', text: '1' },
    { name: 'b', text: '2' },
  ])
  for await (const { path } of contents(new Set(['a', 'b']))) {
    expect(path).toBe('a')
    break
  }
})

test('lists files above the page limit without reading them', async () => {
  const large = new Uint8Array(sizeLimitBytes + 1)
  const bytes = await tarEntries([
    { name: 'large', text: large },
    { name: 'just', text: large.subarray(1) },
    { name: 'c', text: 'x' },
  ])
  const { files, contents } = await openTar(archiveBytes(bytes))
  expect(files.map(({ sizeBytes }) => sizeBytes)).toEqual([sizeLimitBytes + 1, sizeLimitBytes, 1])
  const all = await Array.fromAsync(contents(new Set(['large', 'just', 'c'])))
  expect(all.map(({ path }) => path)).toEqual(['just', 'c'])
})

test('reports a truncated, damaged or invalid archive', async () => {
  const bytes = await tarEntries([{ name: 'a.md', text: 'x'.repeat(3000) }])
  await check(bytes.subarray(0, 1500), 'it is cut off')
  await check(gzipSync(bytes).subarray(0, 60), 'its gzip is damaged, or is cut off')
  await check(Buffer.from('no archive '.repeat(100)), 'it is not a tar archive, or is damaged')
  await check(
    gzipSync(Buffer.from('no archive '.repeat(100))),
    'it is not a tar archive, or is damaged',
  )
  const broken = gzipSync(bytes)
  broken.fill(0xff, 12, 30)
  await check(broken, 'its gzip is damaged, or is cut off')
})

test('opens the archive inside a gem or a package of Hex', async () => {
  const inner = gzipSync(await tarEntries([{ name: 'README.md', text: '# Heron\n' }]))
  for (const [data, metadata] of [
    ['data.tar.gz', 'metadata.gz'],
    ['contents.tar.gz', 'metadata.config'],
  ] as const) {
    const outer = [
      { name: metadata, text: 'x' },
      { name: data, text: inner },
    ]
    const { files, contents } = await openTar(archiveBytes(await tarEntries(outer)))
    expect(files.map(({ path }) => path)).toEqual(['README.md'])
    const [content] = await Array.fromAsync(contents(new Set(['README.md'])))
    expect(String((content as { bytes: Uint8Array }).bytes)).toBe('# Heron\n')
  }
})
