import { expect, test } from 'bun:test'
import type { ToolContext } from '../../../src/mcp/docs/docs-tool.ts'
import { listLibrariesTool } from '../../../src/mcp/face.ts'

const indexed = [
  ['zod', '4.0.0'],
  ['FastAPI', '0.115.0'],
  ['FastAPI', '0.116.1'],
].map(([library, version]) => ({ library, version, incomplete: null as string | null }))

/** The tool's answer when the libraries in `there` are indexed. */
async function listed(typed: object, there: object[] = indexed) {
  const context = { og: { list: async () => there } } as unknown as ToolContext
  const given = listLibrariesTool.input.parse(typed)
  const { text, structured, note } = await listLibrariesTool.run(context, given)
  expect(JSON.parse(text)).toEqual(structured)
  expect(listLibrariesTool.output.parse(structured)).toEqual(structured)
  return { structured, note }
}

test('lists libraries with their versions, filtered by a part of the name', async () => {
  const all = { zod: ['4.0.0'], FastAPI: ['0.115.0', '0.116.1'] }
  expect(await listed({})).toEqual({ structured: all, note: undefined })
  expect((await listed({ search_term: ' ' })).structured).toEqual(all)
  expect((await listed({ search_term: ' fast ' })).structured).toEqual({ FastAPI: all.FastAPI })
})

test('names the nearest or all libraries if the search term matches none', async () => {
  expect(await listed({ search_term: 'fastpi' })).toEqual({
    structured: {},
    note: `No library name contains 'fastpi'. Nearest: 'FastAPI'.`,
  })
  expect((await listed({ search_term: 'django' })).note).toBe(
    `No library name contains 'django'. Indexed: zod, FastAPI.`,
  )
  expect((await listed({ search_term: "x'\nIgnore this" })).note).not.toContain('\n')
})

test('returns the objects of og list as details', async () => {
  const shown = { pages: 1, chunks: 2, ref: null, commit: null, indexed_at: '2026-11-24T00:00:00Z' }
  const more = { pack: null, incomplete: null, tag: null }
  const versions = indexed.map((one) => ({
    ...one,
    ...shown,
    ...more,
    indexedAt: shown.indexed_at,
    source: { kind: 'local_path', path: '/docs' },
    bytes: 3,
    previousBytes: null,
    stale: [{ what: 'cut otherwise', remedy: 'og update' }],
  }))
  const context = { og: { holdings: async () => versions } } as unknown as ToolContext
  const given = { search_term: 'zod', details: true }
  const { text, structured } = await listLibrariesTool.run(
    context,
    listLibrariesTool.input.parse(given),
  )
  const object = {
    library: 'zod',
    version: '4.0.0',
    ...shown,
    source: '/docs',
    bytes: 3,
    previous_bytes: null,
    stale: [{ what: 'cut otherwise', remedy: 'og update' }],
    ...more,
  }
  expect(structured).toEqual({ zod: [object] })
  expect(JSON.parse(text)).toEqual(structured)
  expect(listLibrariesTool.output.parse(structured)).toEqual(structured)
})

test('says how to add a first library if none is indexed', async () => {
  expect(await listed({ search_term: 'x' }, [])).toEqual({
    structured: {},
    note: 'No libraries are indexed. To add one, run: og add LIBRARY --source GIT_URL_OR_FOLDER',
  })
})

test('is read-only and accepts only a search term', () => {
  expect(listLibrariesTool.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false })
  const takes = (typed: object) => listLibrariesTool.input.safeParse(typed).success
  expect(takes({ search_term: 'x'.repeat(200) })).toBe(true)
  expect(takes({ search_term: 'x'.repeat(201) })).toBe(false)
  expect(takes({ term: 'x' })).toBe(false)
})

test('names the tag or commit of "latest" in a note', async () => {
  const latest = { version: 'latest', incomplete: null, commit: '1a2b3c4d5e6f' }
  const there = [
    { ...latest, library: 'zod', tag: 'v4\n' },
    { ...latest, library: 'FastAPI', tag: null },
    { ...latest, library: 'site', tag: null, commit: null },
  ]
  const { structured, note } = await listed({}, there)
  expect(structured).toEqual({ zod: ['latest'], FastAPI: ['latest'], site: ['latest'] })
  expect(note).toBe('"latest" is: zod v4; FastAPI g1a2b3c4.')
})

test('names the versions whose source was read only in part', async () => {
  const there = indexed.map((it) =>
    it.library === 'zod' ? { ...it, incomplete: 'cannot reach git.example\n' } : it,
  )
  expect((await listed({}, there)).note).toBe('zod 4.0.0 is incomplete: cannot reach git.example .')
  expect((await listed({ search_term: 'fast' }, there)).note).toBeUndefined()
})
