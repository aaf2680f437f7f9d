import { describe, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { resolveSource, sourcePages } from '../../../src/source/pages.ts'
import type { SourceEvent } from '../../../src/source/source.ts'
import type { Source } from '../../../src/store/source.ts'
import { commit, git, type Files } from '../../support/repository.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

let nRepositories = 0

/** A bare repository that sends single files, and the working tree from which it was made. */
function repository(files: Files): { url: string; bare: string; work: string } {
  const name = `r${nRepositories++}`
  const work = join(temp.path, name)
  commit(work, files)
  const bare = publish(work)
  return { url: `file://${bare}`, bare, work }
}

function publish(work: string): string {
  const bare = `${work}.git`
  rmSync(bare, { recursive: true, force: true })
  git(temp.path, 'clone', '--quiet', '--bare', work, bare)
  git(bare, 'config', 'uploadpack.allowFilter', 'true')
  return bare
}

type Asked = { docsPaths?: string[]; refPath?: string; version?: string | null }

async function read(url: string, asked: Asked = {}): Promise<SourceEvent[]> {
  const { docsPaths = [], refPath, version = null } = asked
  const source: Source = { kind: 'git_repo', url, docsPaths, ...(refPath ? { refPath } : {}) }
  const resolved = await resolveSource(source, { version, today: new Date() })
  return Array.fromAsync(sourcePages(resolved))
}

function shown(event: SourceEvent): string {
  if (event.type === 'page') return `${event.page.path}: ${event.page.text.trim()}`
  if (event.type === 'skipped') return `-${event.path}: ${event.reason}`
  if (event.type === 'ignored') return `ignored: ${Object.keys(event.extensions)}`
  if (event.type === 'license') return `licence: ${event.text}`
  if (event.type === 'unchanged') return `=${event.url}`
  if (event.type === 'site') return `${event.generator}: ${event.folder} (${event.pages})`
  if (event.type === 'order') return `order: ${event.paths}`
  return `!${event.url}: ${event.reason}`
}

describe('known pages', () => {
  async function validators(url: string): Promise<Map<string, string>> {
    const events = await read(url)
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
        .map((event) => shown(event).replace(/^=.*\//, '='))
    }
    expect(await now()).toEqual(['a.md: A', 'b.md: B', 'c.md: C', 'x/y.md: Z'])
    expect(await now()).toEqual(['=a.md', '=b.md', '=c.md', '=y.md'])
    commit(work, { 'b.md': 'B2', 'src/z.md': 'Z2' })
    publish(work)
    expect(await now()).toEqual(['=a.md', 'b.md: B2', '=c.md', 'x/y.md: Z2'])
    rmSync(join(work, 'a.md'))
    commit(work, { 'd.md': 'C' })
    publish(work)
    expect(await now()).toEqual(['=b.md', '=c.md', 'd.md: C', '=y.md'])
  })

  test('does not fetch known pages', async () => {
    const { work, bare, url } = repository({ 'a.md': 'A', 'b.md': 'B' })
    const known = await validators(url)
    commit(work, { 'b.md': 'B2' })
    publish(work)
    const blob = git(bare, 'rev-parse', 'main:a.md')
    rmSync(join(bare, 'objects', blob.slice(0, 2), blob.slice(2)))
    const source: Source = { kind: 'git_repo', url, docsPaths: [] }
    const resolved = await resolveSource(source, { version: null, today: new Date() })
    const events = await Array.fromAsync(sourcePages(resolved, { before: known }))
    expect(events.map(({ type }) => type)).toEqual(['license', 'unchanged', 'page'])
  })
})

describe('the temporary folder', () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('og-git-'))

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
