import { expect, test } from 'bun:test'
import { OgError } from '../../src/platform/error.ts'
import { parsers, type FileQuestion } from '../../src/source/page-parsers.ts'

const file = (path: string, text: string) => ({
  file: { bytes: Buffer.from(text), path, url: `doc:/${path}` },
  from: null as string | null,
})
const unasked = () => Promise.reject(new Error('nothing was to be read'))
/** Reads these files and records the requested paths in `asked`. */
function reading(files: Record<string, string>) {
  const asked: string[] = []
  const read = async (question: FileQuestion) => {
    if (typeof question === 'object' && 'titles' in question) return titlesOf(question) as never
    const paths = [question].flat(2)
    asked.push(...paths)
    const texts = paths.map((path) => [path, files[path] ?? null])
    return (typeof question === 'string' ? texts[0]![1] : texts) as never
  }
  const titlesOf = ({ titles }: { titles: readonly (readonly string[])[] }) => {
    asked.push(...titles.flat())
    return titles.map(() => ({ path: 'b.rst', title: 'Page B' }))
  }
  return { asked, read }
}

test('parses a file by its extension, or rejects it', async () => {
  expect((await parsers.file(file('a.md', '# Ä\n\nb\n'), unasked))[0]).toMatchObject({
    url: 'doc:/a.md',
    path: 'a.md',
    title: 'Ä',
    text: '# Ä\n\nb\n',
    markup: 'markdown',
  })
  await expect(parsers.file(file('a.exe', 'x'), unasked)).rejects.toThrow(
    new OgError('Cannot read page "a.exe": not a page by extension'),
  )
})

test('asks for the titles of references if the parent process can find them', async () => {
  const page = { ...file('a.rst', 'See :doc:`b`.\n'), from: 'a.rst' }
  const { asked, read } = reading({})
  expect((await parsers.file({ ...page, hasTitles: true }, read))[0]?.text).toBe('See Page B.\n')
  expect(asked).toEqual(['b#'])
  expect((await parsers.file(page, unasked))[0]?.text).toBe('See b.\n')
})

test('reads an included file by its path from the top folder, if includes are allowed', async () => {
  const page = file('docs/a.rst', 'A\n=\n\n.. include:: /b.txt\n')
  const { asked, read } = reading({ 'docs/b.txt': 'of b' })
  expect((await parsers.file({ ...page, from: 'docs/a.rst' }, read))[0]?.text).toContain('of b')
  expect(asked).toEqual(['docs/b.txt', 'b.txt'])
  expect((await parsers.file(page, unasked))[0]?.text).toContain('.. include:: /b.txt')
})

test('parses a web document to a page with its URL', async () => {
  const document = {
    url: 'https://x.org/a',
    bytes: Buffer.from('<h1>A</h1><p>b</p>'),
    kind: 'html' as const,
    contentType: 'text/html',
    lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT',
  }
  expect(await parsers.document({ document, address: 'https://x.org/b/' })).toMatchObject([
    {
      url: 'https://x.org/b/',
      path: 'b/index.html',
      title: 'A',
      text: '# A\n\nb\n',
      lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT',
    },
  ])
})

test('converts a raw page back to a page', () => {
  const raw = {
    url: 'https://x.org/a',
    library_name: 'x',
    version: '1',
    title: 'T',
    description: 'D',
    last_modified: null,
    content: '# A\n',
  }
  expect(parsers.raw(raw)).toMatchObject({
    url: 'https://x.org/a',
    title: 'T',
    description: 'D',
    text: '# A\n',
    lastModified: null,
  })
})

test('lists the files that a text may include, in the dialect of its page', async () => {
  const includes = (path: string, text: string) => parsers.includes({ text, path, dialect: null })
  expect(await includes('docs/a.rst', '.. include:: b.txt\n')).toEqual({
    as: 'rst',
    candidates: [expect.arrayContaining(['docs/b.txt'])],
    packages: [],
  })
  expect((await includes('docs/a.adoc', 'include::b.adoc[]\n')).as).toBe('asciidoc')
  expect(await includes('a.md', 'no include\n')).toEqual({
    as: 'markdown',
    candidates: [],
    packages: [],
  })
  expect(await includes('a.png', '.. include:: b.txt\n')).toEqual({
    as: 'text',
    candidates: [],
    packages: [],
  })
  expect((await includes('a.rst', '.. autoclass:: tool.Lamp\n')).packages).toEqual(['tool'])
  // An included file is read in the dialect of its page, whatever its own name.
  const { as, candidates } = await parsers.includes({
    text: '.. include:: c.txt\n',
    path: 'docs/b.inc',
    dialect: 'rst',
  })
  expect([as, candidates.length]).toEqual(['rst', 1])
})
