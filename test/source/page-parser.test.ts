import { expect, test } from 'bun:test'
import { OgError } from '../../src/platform/error.ts'
import {
  parseDocument,
  parseFile,
  parseIncludes,
  parseRaw,
  parseInOrder,
} from '../../src/source/page-parser.ts'

const file = (path: string, text: string | Uint8Array) => ({
  bytes: Buffer.from(text),
  path,
  url: `doc:/${path}`,
})
const aborted = () => AbortSignal.abort(new Error('given up'))

test('parses a file in the sandbox to a page, or to an OgError', async () => {
  expect(await parseFile(file('a.md', '# A'), {})).toMatchObject([{ title: 'A', text: '# A' }])
  const error = await parseFile(file('a.md', new Uint8Array([0, 1])), {}).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(OgError)
  expect(error.code).toBe('not-text')
})

test("parses only the file's own bytes within an archive", async () => {
  const archive = Buffer.from('# Before\n# A\n# After\n')
  const [page] = await parseFile({ ...file('a.md', ''), bytes: archive.subarray(9, 13) }, {})
  expect(page?.text).toBe('# A\n')
})

test('reads included files in this process, and reports a failure to read them', async () => {
  const asked: string[] = []
  const including = (read: (path: string) => Promise<string | null>) =>
    parseFile(file('docs/a.rst', '.. include:: b.txt\n'), {
      included: { from: 'docs/a.rst', read: (path) => (asked.push(path), read(path)) },
    })
  expect((await including(async () => 'of b'))[0]?.text).toContain('of b')
  expect(asked).toEqual(['docs/b.txt'])
  const refusal = new OgError('Cannot read "b.txt"', { code: 'denied' })
  await expect(including(() => Promise.reject(refusal))).rejects.toThrow(refusal.message)
})

test('reads each file of many includes once, until one request has read enough', async () => {
  const asked: string[] = []
  const files: Record<string, string> = { 'a.txt': 'of a', 'docs/b.txt': 'b'.repeat(300_000) }
  const names = ['a.txt', 'b.txt', 'a.txt', 'none.txt', 'c.txt', 'c.txt']
  const text = names.map((name) => `.. include:: ${name}\n`).join('\n')
  const read = async (path: string) => (asked.push(path), files[path] ?? null)
  const included = { from: 'docs/page.rst', read }
  const [page] = await parseFile(file('docs/page.rst', text), { included })
  expect(page?.text.match(/of a|b{300000}|\S+ (?:none|c).txt/g)).toHaveLength(6)
  // The long file ends the request, so the files after it are requested one by one.
  const [ahead, later] = [asked.slice(0, 3), asked.slice(3)]
  expect(ahead).toEqual(['docs/a.txt', 'a.txt', 'docs/b.txt'])
  expect(later.slice(0, 4)).toEqual(['docs/none.txt', 'none.txt', 'docs/c.txt', 'c.txt'])
})

test('also parses documents and raw pages in the sandbox', async () => {
  const bytes = Buffer.from('<h1>A</h1><p>b')
  const document = {
    url: 'https://x.org/a',
    bytes,
    kind: 'html',
    contentType: null,
    lastModified: null,
  } as const
  expect((await parseDocument(document, 'https://x.org/a', undefined))[0]?.text).toBe('# A\n\nb\n')
  const raw = {
    url: 'https://x.org/a',
    library_name: 'x',
    version: '1',
    title: null,
    description: null,
    last_modified: null,
    content: '# A\n',
  }
  expect((await parseRaw(raw, undefined)).title).toBe('A')
})

test('rejects every kind of parsing after an abort', async () => {
  const raw = { url: 'a', content: '# A' } as never
  const signal = aborted()
  const document = { bytes: Buffer.from('a') } as never
  for (const parsed of [
    () => parseFile(file('a.md', '# A'), { signal }),
    () => parseDocument(document, 'a', signal),
    () => parseRaw(raw, signal),
    () => parseIncludes({ text: 'a', path: 'a.md', dialect: null }, signal),
  ])
    await expect(parsed()).rejects.toThrow('given up')
})

test('returns no includes for text that cannot be parsed', async () => {
  const none = { as: 'text', candidates: [], packages: [] }
  expect(
    await parseIncludes({ text: { length: 1 } as never, path: 'a.rst', dialect: null }, undefined),
  ).toEqual(none as never)
  const { candidates } = await parseIncludes(
    { text: '.. include:: b.txt\n', path: 'a.rst', dialect: null },
    undefined,
  )
  expect(candidates.length).toBe(1)
})

test('yields outcomes in the order of the items, not of completion', async () => {
  const work = async (item: number) => {
    await Bun.sleep(item === 2 ? 20 : 0)
    return item * 10
  }
  expect(await Array.fromAsync(parseInOrder([1, 2, 3, 4], work))).toEqual([10, 20, 30, 40])
  expect(await Array.fromAsync(parseInOrder([], work))).toEqual([])
})

test('processes only the first item until the next one is requested', async () => {
  const begun: number[] = []
  const outcomes = parseInOrder([1, 2, 3], async (item) => begun.push(item))
  await outcomes.next()
  await Bun.sleep(0)
  expect(begun).toEqual([1])
  await outcomes.next()
  expect(begun).toEqual([1, 2, 3])
})

test('works on sixteen items at once, or fewer if they are large', async () => {
  const most = async (bytes: number) => {
    let [nOpen, most] = [0, 0]
    const work = async () => {
      most = Math.max(most, ++nOpen)
      await Bun.sleep(1)
      nOpen--
    }
    await Array.fromAsync(
      parseInOrder(
        Array.from({ length: 60 }, (_, i) => i),
        work,
        () => bytes,
      ),
    )
    return most
  }
  expect(await most(0)).toBe(16)
  expect(await most(2 ** 28)).toBeLessThan(4)
})

test('throws if the work on an item fails, and starts no other item', async () => {
  const begun: number[] = []
  const work = async (item: number) => {
    begun.push(item)
    if (item === 1) throw new Error('of the first')
  }
  await expect(Array.fromAsync(parseInOrder([1, 2, 3], work))).rejects.toThrow('of the first')
  expect(begun).toEqual([1])
})
