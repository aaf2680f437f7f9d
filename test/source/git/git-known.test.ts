import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { resolveSource, sourcePages } from '../../../src/source/pages.ts'
import type { Source } from '../../../src/store/source.ts'
import { commit, git, type Files } from '../../support/repository.ts'
import {
  bareRepository,
  publishRepository,
  readRepository,
  shownEvent,
} from '../../support/pages/source-events.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

const repository = (files: Files) => bareRepository(temp.path, files)

describe('known pages', () => {
  async function validators(url: string): Promise<Map<string, string>> {
    const events = await readRepository(url)
    return new Map(
      events.flatMap((event) =>
        event.type === 'page' ? [[event.page.url, event.validator!]] : [],
      ),
    )
  }

  test('does not read known pages if their blobs are unchanged, even behind links', async () => {
    const { work, url } = repository({
      'a.md': 'A',
      'b.md': 'B',
      'c.md': 'C',
      'x/y.md': { link: '../src/z.md' },
      'src/z.md': 'Z',
    })
    const source: Source = { kind: 'git_repo', url, docsPaths: ['*.md', 'x'] }
    const known = new Map<string, string>()
    const now = async () => {
      const resolved = await resolveSource(source, { version: null, today: new Date() })
      const events = await Array.fromAsync(sourcePages(resolved, { before: known }))
      for (const event of events) {
        if (event.type === 'page') known.set(event.page.url, event.validator!)
      }
      return events
        .filter(({ type }) => type !== 'license')
        .map((event) => shownEvent(event).replace(/^=.*\//, '='))
    }
    expect(await now()).toEqual(['a.md: A', 'b.md: B', 'c.md: C', 'x/y.md: Z'])
    expect(await now()).toEqual(['=a.md', '=b.md', '=c.md', '=y.md'])
    commit(work, { 'b.md': 'B2', 'src/z.md': 'Z2' })
    publishRepository(work)
    expect(await now()).toEqual(['=a.md', 'b.md: B2', '=c.md', 'x/y.md: Z2'])
    rmSync(join(work, 'a.md'))
    commit(work, { 'd.md': 'C' })
    publishRepository(work)
    expect(await now()).toEqual(['=b.md', '=c.md', 'd.md: C', '=y.md'])
  })

  test('does not fetch known pages', async () => {
    const { work, bare, url } = repository({ 'a.md': 'A', 'b.md': 'B' })
    const known = await validators(url)
    commit(work, { 'b.md': 'B2' })
    publishRepository(work)
    const blob = git(bare, 'rev-parse', 'main:a.md')
    rmSync(join(bare, 'objects', blob.slice(0, 2), blob.slice(2)))
    const source: Source = { kind: 'git_repo', url, docsPaths: [] }
    const resolved = await resolveSource(source, { version: null, today: new Date() })
    const events = await Array.fromAsync(sourcePages(resolved, { before: known }))
    expect(events.map(({ type }) => type)).toEqual(['license', 'unchanged', 'page'])
  })
})

describe('the temporary folder', () => {
  // Other test files make folders in the usual one at the same time.
  const usual = process.env.TMPDIR
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('og-git-'))

  beforeAll(() => {
    process.env.TMPDIR = temp.path
  })
  afterAll(() => {
    if (usual === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = usual
  })

  test('removes the temporary folder if reading stops early, fails or is aborted', async () => {
    const { url } = repository({ 'a.md': 'A', 'b.md': 'B' })
    const source: Source = { kind: 'git_repo', url, docsPaths: [] }
    const resolved = await resolveSource(source, { version: null, today: new Date() })
    const before = left()
    for await (const event of sourcePages(resolved)) {
      expect(left().length).toBe(before.length + 1)
      expect(event.type).toBe('page')
      break
    }
    const stop = new AbortController()
    const stopped = async () => {
      for await (const _ of sourcePages(resolved, { signal: stop.signal })) {
        stop.abort(new Error('stopped'))
      }
    }
    await expect(stopped()).rejects.toThrow('stopped')
    const gone = { ...resolved, ref: 'gone', commit: '0'.repeat(40) }
    await expect(Array.fromAsync(sourcePages(gone))).rejects.toThrow('Cannot read file://')
    expect(left()).toEqual(before)
  })
})
