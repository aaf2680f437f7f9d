import { expect, test } from 'bun:test'
import { archiveIncludes } from '../../../src/source/archive/archive.ts'
import type { ArchiveFile } from '../../../src/platform/archive/archive-bytes.ts'
import { openTar } from '../../../src/source/archive/tar-archive.ts'
import { archiveBytes, tarEntries, type TarEntry } from '../../support/pages/archive.ts'

const one = (name: string, text: string | Uint8Array): TarEntry => ({ name: `r-1/${name}`, text })

/**
 * Returns the included files of an archive with the top folder `r-1`, the number of passes over the
 * archive, and the number of files in each pass. `change` alters the entries as if the archive had
 * declared them so.
 */
async function including(
  entries: TarEntry[],
  change: (file: ArchiveFile) => ArchiveFile = (file) => file,
) {
  const archive = await openTar(archiveBytes(await tarEntries(entries)))
  const passes: number[] = []
  const counting = {
    ...archive,
    contents: (paths: ReadonlySet<string>) => (passes.push(paths.size), archive.contents(paths)),
  }
  const files = new Map(archive.files.map((file) => [file.path.slice(4), change(file)]))
  return { included: archiveIncludes(counting, files), passes }
}

test('resolves an included path from the top folder of the archive', async () => {
  const { included } = await including([one('src/a.py', 'a = "ü"'), one('b.md', '# B')])
  const { from, read } = included('docs/index.md')
  expect(from).toBe('docs/index.md')
  expect(included('b.md').from).toBe('b.md')
  expect(await read('src/a.py')).toBe('a = "ü"')
  expect(await read('b.md')).toBe('# B')
  expect(await read('r-1/b.md')).toBeNull()
  expect(await read('none.md')).toBeNull()
  expect(await read('src/')).toBe('')
  expect(await read('none/')).toBeNull()
})

test('reads all files in one pass when the first include is resolved', async () => {
  const { included, passes } = await including([one('a', '1'), one('b', '2')])
  await included('x').read('none')
  expect(passes).toEqual([])
  const { read } = included('x')
  expect(await Promise.all([read('a'), included('y').read('b'), read('a')])).toEqual([
    '1',
    '2',
    '1',
  ])
  expect(await read('none')).toBeNull()
  expect(passes).toEqual([2])
})

test('skips pictures, links, large files and binary files', async () => {
  const { included, passes } = await including([
    one('a.png', 'x'),
    one('b.PDF', 'x'),
    one('large.txt', new Uint8Array(2 ** 20 + 1)),
    { name: 'r-1/link.md', type: 'symlink', linkname: 'c.md' },
    one('zero.bin', new Uint8Array([0, 1, 2, 0])),
    one('just.txt', 'x'.repeat(2 ** 20)),
  ])
  const { read } = included('x')
  for (const name of ['a.png', 'b.PDF', 'large.txt', 'link.md', 'zero.bin']) {
    expect([name, await read(name)]).toEqual([name, null])
  }
  expect((await read('just.txt'))?.length).toBe(2 ** 20)
  expect(passes).toEqual([2])
})

test('limits the total size of the included files to 64 MB', async () => {
  const entries = Array.from({ length: 66 }, (_, i) => one(`${i}`, `text ${i}`))
  const { included, passes } = await including(entries, (file) => ({ ...file, sizeBytes: 2 ** 20 }))
  expect(await included('x').read('63')).toBe('text 63')
  expect(await included('x').read('64')).toBeNull()
  expect(passes).toEqual([64])
})
