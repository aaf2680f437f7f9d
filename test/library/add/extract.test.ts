import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { extractPages, findRaw, listRaw, rawFolder } from '../../../src/library/add/extract.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles, type Files } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder("og extract 'ü"))
const docs = () => join(temp().path, 'docs')

const folder = () => join(temp().path, 'raw', 'demo', '1')
const names = () => readdirSync(folder()).sort()

function extract() {
  const places = { folder: join(temp().path, 'store'), rawDataPath: join(temp().path, 'raw') }
  const source = { kind: 'local_path', path: docs(), baseUrl: 'https://x.example' } as const
  return extractPages(places, { library: 'Demo', version: '1', source, lockTimeoutMs: 0 })
}

/**
 * Writes these files to the source, extracts it, and checks the files in the folder of raw pages.
 */
async function check(files: Files, expected: string[]): Promise<void> {
  rmSync(docs(), { recursive: true, force: true })
  writeFiles(docs(), files)
  const { pages, path } = await extract()
  expect(path).toBe(folder())
  expect(names()).toEqual(['.og-raw', ...expected])
  const mark = JSON.parse(readFileSync(join(folder(), '.og-raw'), 'utf8'))
  expect(mark).toEqual({ state: 'complete', files: expect.anything() })
  expect(mark.files).toHaveLength(pages)
}

test('replaces all pages of the library version, and keeps other files', async () => {
  await check({ 'a.md': '# A', 'b/c.md': '# C' }, ['a.md.json', 'b-c.md.json'])
  expect(JSON.parse(readFileSync(join(folder(), 'a.md.json'), 'utf8'))).toMatchObject({
    url: 'https://x.example/a.md',
    library_name: 'Demo',
    version: '1',
    content: '# A',
  })
  writeFileSync(join(folder(), 'mine.json'), '{"x": 1}')
  writeFileSync(join(folder(), 'upstream.json'), '{"url": "u:x", "content": "old"}')
  await check({ 'a.md': '# A2' }, ['a.md.json', 'mine.json'])
  expect(readFileSync(join(folder(), 'a.md.json'), 'utf8')).toContain('# A2')
})

test('changes nothing if the source has no pages', async () => {
  writeFiles(docs(), { 'x.png': '' })
  await expect(extract()).rejects.toThrow('no documentation pages')
  expect(existsSync(folder())).toBe(false)
  await check({ 'a.md': '# A' }, ['a.md.json'])
  rmSync(docs(), { recursive: true })
  writeFiles(docs(), { 'x.png': '' })
  await expect(extract()).rejects.toThrow('nothing was changed')
  rmSync(docs(), { recursive: true })
  await expect(extract()).rejects.toThrow('no such file')
  expect(names()).toEqual(['.og-raw', 'a.md.json'])
})

test('keeps the old file of a page that cannot be read (W-10)', async () => {
  await check({ 'a.md': '# A', 'n.ipynb': notebook('# N') }, ['a.md.json', 'n.ipynb.json'])
  writeFiles(docs(), { 'a.md': '# A2', 'n.ipynb': '{' })
  const { failed, pages } = await extract()
  expect([failed.length, pages]).toEqual([1, 1])
  expect(names()).toEqual(['.og-raw', 'a.md.json', 'n.ipynb.json'])
})

test('writes no file outside its folder if the library name or version is a path (W-61)', async () => {
  writeFiles(docs(), { 'a.md': '# A' })
  const places = { folder: join(temp().path, 'store'), rawDataPath: join(temp().path, 'raw') }
  const source = { kind: 'local_path', path: docs() } as const
  const wish = { source, lockTimeoutMs: 0 }
  await expect(extractPages(places, { ...wish, library: '../x', version: '1' })).rejects.toThrow()
  await extractPages(places, { ...wish, library: 'x', version: '../../y' })
  expect(readdirSync(temp().path).sort()).toEqual(['docs', 'raw', 'store'])
  expect(readdirSync(join(temp().path, 'raw', 'x'))).toEqual(['%2E.%2F..%2Fy'])
})

function notebook(text: string): string {
  const cells = [{ cell_type: 'markdown', metadata: {}, source: text }]
  return JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 })
}

test('stores raw pages in the same folders as upstream, and never elsewhere (W-14, W-61)', () => {
  const check = (library: string, version: string, expected: string) =>
    expect(relative('/r', rawFolder('/r', library, version))).toBe(expected)
  check('React', 'v1.0', 'react/v1.0')
  check('@Scope/x', 'latest', '@scope/x/latest')
  check('x', 'release/1.0', 'x/release%2F1.0')
  check('x', '..', 'x/%2E.')
  check('x', '/etc', 'x/%2Fetc')
  check('x', '..\\..', 'x/%2E.%5C..')
  for (const library of ['..', '../x', '/etc', 'a/b', '']) {
    expect(() => rawFolder('/r', library, '1')).toThrow('Cannot use library name')
  }
})

test('finds raw pages in nested folders', async () => {
  await using temp = await createTempFolder('og raw')
  const page = (library: string) =>
    JSON.stringify({ url: 'u:a', content: 'a', library_name: library })
  writeFiles(temp.path, {
    'react/v10/a.json': page('React'),
    'react/v9/a.json': page('React'),
    'react/release/1.0/a.json': page('React'),
    'react/release%2F2.0/a.json': page('React'),
    '@scope/x/latest/a.json': page('@scope/x'),
    'other/latest/a.json': '{',
    'odd/latest/a.json': page('something else'),
    'empty/latest/note.txt': 'x',
    'a.json': page('top'),
    '.og/x/a.json': page('hidden'),
  })
  const found = await listRaw(temp.path)
  expect(found.map(({ library, version }) => `${library} ${version}`)).toEqual([
    '@scope/x latest',
    'odd latest',
    'other latest',
    'React release/1.0',
    'React release/2.0',
    'React v9',
    'React v10',
  ])
  const versions = await findRaw(temp.path, { library: 'REACT', version: 'release/1.0' })
  expect(versions.map(({ path }) => path)).toEqual([join(temp.path, 'react/release/1.0')])
  expect(await findRaw(temp.path, { library: 'react', version: 'v11' })).toEqual([])
  expect(await listRaw(join(temp.path, 'nowhere'))).toEqual([])
})
