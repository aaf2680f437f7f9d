import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { LiveState } from '../../../src/library/add/live-state.ts'
import { collectPages, noPagesError, skipPlans } from '../../../src/library/add/pages.ts'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import type { SourceEvent } from '../../../src/source/source.ts'
import { createGeneration } from '../../../src/store/generation.ts'
import type { PageRow } from '../../../src/store/pages/page-table.ts'
import { entryOf, generationNamed, openLive, writeGeneration } from '../../support/store.ts'

let temp: TempFolder
let before: LiveState
beforeEach(async () => {
  temp = await createTempFolder('og pages')
  const texts = { 'x:/a': 'old a', 'x:/b': 'old b', 'x:/sub/c': 'old c', 'x:/sub/d': 'old d' }
  await writeGeneration(temp.path, texts, { library: 'lib' })
  const [open] = await openLive(temp.path)
  const close = () => open![Symbol.dispose]()
  const states = await open!.pageStates()
  const entry = entryOf('lib', generationNamed('a'))
  before = { kind: 'update', entry, open: open!, states, rest: 'whole', [Symbol.dispose]: close }
})
afterEach(async () => {
  before[Symbol.dispose]()
  await temp[Symbol.asyncDispose]()
})

function page(url: string, text: string, validator?: string): SourceEvent {
  const described = { title: '', description: '', markup: 'markdown', lastModified: null } as const
  const event = { type: 'page', page: { url, path: url.slice(3), text, ...described } } as const
  return validator === undefined ? event : { ...event, validator }
}

/** Checks the written rows as `url: text`, followed by the validator if there is one. */
async function check(events: SourceEvent[], expected: string[], kept = 0) {
  using writer = await createGeneration(temp.path)
  async function* all() {
    yield* events
  }
  const options = { before, onPage: () => {} }
  const collected = await collectPages(all(), async () => writer, options)
  await collected.flush()
  const rows: PageRow[] = (await Array.fromAsync(writer.pages())).flat()
  const shown = rows.map(({ url, text, validator }) => `${url}: ${text} ${validator}`.trim())
  expect(shown.sort()).toEqual(expected)
  expect([...collected.hashes.keys()].sort()).toEqual(rows.map(({ url }) => url).sort())
  expect(collected.kept).toBe(kept)
  return collected
}

test('stores the position of each page in the navigation, also of unchanged pages', async () => {
  using writer = await createGeneration(temp.path)
  async function* all() {
    yield { type: 'order', paths: ['x:/sub/c', 'a'] } satisfies SourceEvent
    yield page('x:/a', 'new a')
    yield page('x:/b', 'new b')
    yield { type: 'unchanged', url: 'x:/sub/c' } satisfies SourceEvent
  }
  const options = { before, onPage: () => {} }
  await (await collectPages(all(), async () => writer, options)).flush()
  const rows = (await Array.fromAsync(writer.pages())).flat()
  const positions = Object.fromEntries(rows.map((it) => [it.path.slice(-1), it.nav_position]))
  expect(positions).toEqual({ a: 1, b: -1, c: 0 })
})

const failed = (url: string): SourceEvent => ({ type: 'failed', url, reason: 'r' })

test('copies unchanged pages, with a new validator if there is one', async () => {
  await check(
    [
      page('x:/a', 'new a', '1'),
      { type: 'unchanged', url: 'x:/b' },
      { type: 'unchanged', url: 'x:/sub/c', validator: '2' },
    ],
    ['x:/a: new a 1', 'x:/b: old b', 'x:/sub/c: old c 2'],
  )
})

test('keeps the old text of a failed page, unless another file has its address', async () => {
  const events = [failed('x:/a'), failed('x:/b'), page('x:/b', 'new b'), failed('x:/none')]
  await check(events, ['x:/a: old a', 'x:/b: new b'], 1)
})

test('keeps the old pages of a folder that could not be listed', async () => {
  const folder: SourceEvent = { type: 'failed', url: 'x:/sub', reason: 'r', isFolder: true }
  await check([folder], ['x:/sub/c: old c', 'x:/sub/d: old d'], 2)
  await check([failed('x:/sub')], [], 0)
})

test('keeps the first of two pages with the same address', async () => {
  const { skipped } = await check(
    [page('x:/a', 'one'), page('x:/a', 'two'), { type: 'unchanged', url: 'x:/a' }],
    ['x:/a: one'],
  )
  expect(skipped.map(({ reason }) => reason)).toEqual(
    Array(2).fill('it has the same address as another page'),
  )
})

test('skips planning notes unless a docs path names them or they are most of the pages', async () => {
  const plan = page('x:/p.md', '# Ticket: go faster')
  if (plan.type === 'page') plan.page.title = 'Ticket: go faster'
  const typesOf = async (events: SourceEvent[], docsPaths: string[] = []) => {
    async function* all() {
      yield* events
    }
    const left = await Array.fromAsync(skipPlans(all(), docsPaths))
    return left.map((it) => `${it.type} ${'path' in it ? it.path : ''}`.trim())
  }
  const guide = page('x:/a', 'A')
  expect(await typesOf([plan, guide])).toEqual(['page', 'skipped p.md'])
  expect(await typesOf([plan, { type: 'unchanged', url: 'x:/a' }])).toEqual([
    'unchanged',
    'skipped p.md',
  ])
  expect(await typesOf([plan, guide], ['p.md'])).toEqual(['page', 'page'])
  expect(await typesOf([plan, page('x:/a.ts#L1', 'A')])).toEqual(['page', 'page'])
})

test('computes a content hash that does not depend on the order of pages', async () => {
  const pages = [page('x:/a', 'A'), page('x:/b', 'B'), page('x:/c', 'C')]
  const one = await check(pages, ['x:/a: A', 'x:/b: B', 'x:/c: C'])
  const two = await check(pages.toReversed(), ['x:/a: A', 'x:/b: B', 'x:/c: C'])
  expect(two.contentHash).toBe(one.contentHash)
})

test('if no page was found, reports the first failed file, or otherwise the extensions', () => {
  const source = { kind: 'web_page', url: 'http://zod.example/' } as const
  const resolved = { source, version: 'latest', ref: null, commit: null }
  const job = { request: { library: 'zod', version: null, source, lockTimeoutMs: 0 }, resolved }
  const nothing = {
    hashes: new Map(),
    validators: new Map(),
    lengths: new Map(),
    contentHash: '',
    skipped: [],
    failed: [],
    kept: 0,
    flush: async () => {},
  }
  const failed = [{ url: 'http://zod.example/a', reason: 'server answered 500' }]
  const error = noPagesError(job, { ...nothing, failed })
  expect(error.message).toBe(
    'Cannot add library "zod": no documentation pages in ' +
      'http://zod.example/ (0 files skipped, 1 failed); nothing was changed',
  )
  expect(error.hint).toBe('the first: http://zod.example/a: server answered 500')
  expect(noPagesError(job, nothing).hint).toContain('.md')
})
