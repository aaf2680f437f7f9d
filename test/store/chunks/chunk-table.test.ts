import { describe, expect, test } from 'bun:test'
import { queryTerms } from '../../../src/chunk/terms.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { createGeneration } from '../../../src/store/generation.ts'
import { chunkRow, generationNamed, openLive, publish } from '../../support/store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const texts: Record<string, string> = {
  effect: 'Call useEffect to synchronise with an external system.',
  schema: 'Pass `include_in_schema=False` to leave a path operation out.',
  cache: 'npm install --no-cache ignores what was fetched before.',
  missing: 'Node says ERR_MODULE_NOT_FOUND: the package has no exports.',
  scoped: 'import { thing } from "@scope/pkg"',
  version: 'Fixed in 1.2.3, broken since 1.2.0.',
  cplusplus: 'Bindings for C++ and C# are generated.',
  lookup: 'The $lookup stage joins a collection.',
  chinese: '使用依赖注入来配置系统',
  accents: 'Le café naïve',
  padding: 'Nothing to see here, only words and more words.',
}
const urls = Object.keys(texts)

const temp = disposeAfterAll(await createTempFolder("og chunks 'ü"))
using writer = await createGeneration(temp.path)
const rows = urls.map((url) => chunkRow(url, texts[url]!))
await writer.appendChunks(rows.slice(0, 4), null)
await writer.appendChunks(rows.slice(4), null)
await writer.finish()
await publish(temp.path, 'lib', generationNamed(writer.id, { chunks: rows.length }))
const open = disposeAfterAll((await openLive(temp.path))[0]!)

async function found(query: string): Promise<string[]> {
  return (await open.fullText(queryTerms(query, 256), 20)).map(({ url }) => url)
}

describe('finds an identifier as a whole and by its parts', () => {
  function check(url: string, queries: string[]) {
    test(url, async () => {
      for (const query of queries) {
        expect({ query, first: (await found(query))[0] }).toEqual({ query, first: url })
      }
    })
  }
  check('effect', ['useEffect', 'useeffect', 'effect', 'useEffect()', 'React.useEffect'])
  check('schema', ['include_in_schema', 'schema', 'include_in_schema=False'])
  check('cache', ['--no-cache', 'no-cache', 'cache'])
  check('missing', ['ERR_MODULE_NOT_FOUND', 'err_module_not_found', 'module not found'])
  check('scoped', ['@scope/pkg', 'scope', 'pkg'])
  check('version', ['1.2.3', '1.2.0', 'v1.2.3 1.2.3'])
  check('cplusplus', ['C++', 'c++', 'C#', 'bindings for C++'])
  check('lookup', ['$lookup', 'lookup'])
  check('chinese', ['依赖注入', '配置'])
  check('accents', ['cafe', 'CAFÉ', 'naive'])
})

test('treats operator characters of other engines as text', async () => {
  const queries = [
    '"',
    '*',
    ':',
    '(',
    ')',
    '\\',
    "'",
    '\0',
    '^',
    '~',
    '?',
    '[',
    '{',
    '|',
    '&&',
    'AND',
    'NOT',
    '-',
    '+',
    '!',
    '--',
    '"unclosed',
    'a:b:c',
    '(((',
    '/* */',
    "'; DROP TABLE",
    '%',
    '_',
    '\n\t ',
  ]
  for (const query of queries) {
    expect(await found(query)).toBeArray()
    expect((await found(`${query} useEffect ${query}`))[0]).toBe('effect')
  }
  expect(await found('NOT useEffect')).toContain('effect')
})

test('accepts a query of ten thousand words', async () => {
  const letters = (i: number) => `${i}`.replace(/./g, (digit) => 'bcdfghjklm'[Number(digit)]!)
  const words = Array.from({ length: 10_000 }, (_, i) => letters(i)).join(' ')
  expect((await found(`useEffect ${words}`))[0]).toBe('effect')
})

test('does not find a longer identifier by its beginning', async () => {
  expect(await found('useeff')).toEqual([])
  expect(await found('1.2.4')).not.toContain('effect')
})

test('returns descending scores up to the limit', async () => {
  const ranked = await open.fullText(queryTerms('words and more schema lookup cache', 256), 3)
  const scores = ranked.map(({ score }) => score)
  expect(scores.length).toBe(3)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
})

test('returns rows as written, in the requested order', async () => {
  const ranked = await open.fullText(queryTerms('useEffect schema lookup C++', 256), 10)
  const backwards = [...ranked].reverse()
  const rows = await open.chunks(backwards.map(({ rowId }) => rowId))
  expect(rows.map(({ url }) => url)).toEqual(backwards.map(({ url }) => url))
  for (const row of rows) {
    const { terms: _, ...shown } = chunkRow(row.url, texts[row.url]!)
    expect(row).toMatchObject(shown)
  }
})

test('returns the chunks of one page with their terms', async () => {
  const [chunk, ...others] = await open.chunksOf('lookup')
  expect([chunk!.content, others]).toEqual([texts.lookup!, []])
  expect(chunk!.terms.split(' ')).toContain('$lookup')
  expect(await open.chunksOf("none' OR '1'='1")).toEqual([])
})
