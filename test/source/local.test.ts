import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, rmSync, statSync, truncateSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { fileStamp } from '../../src/source/file-validator.ts'
import { localPages } from '../../src/source/local.ts'
import { resolveSource, sourcePages } from '../../src/source/pages.ts'
import type { SourceEvent } from '../../src/source/source.ts'
import type { Source } from '../../src/store/source.ts'
import { writeFiles, type Files } from '../support/repository.ts'
import { rewriteUnnoticed } from '../support/unnoticed.ts'
import { shownEvent } from '../support/pages/source-events.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

let nFolders = 0

function folder(files: Files): string {
  const path = join(temp.path, `f ${nFolders++}`)
  mkdirSync(path)
  writeFiles(path, files)
  return path
}

async function* read(path: string, baseUrl?: string): AsyncGenerator<SourceEvent> {
  const source: Source = { kind: 'local_path', path, ...(baseUrl ? { baseUrl } : {}) }
  yield* sourcePages(await resolveSource(source, { version: null, today: new Date() }))
}

/**
 * Expects one line per event: path and text of a page, `-` for a skipped path, `!` for a failure.
 */
async function check(path: string, expected: string[]): Promise<void> {
  expect((await Array.fromAsync(read(path))).map((event) => shownEvent(event))).toEqual(expected)
}

const urls = (events: SourceEvent[]) =>
  events.flatMap((event) => (event.type === 'page' ? [event.page.url] : []))

describe('pages of a folder', () => {
  test('yields pages in path order, whatever their names', () => {
    const names = ['a "b".md', "it's.md", 'new\nline.md', 'ü/日本.md', '-x/$(id).md', '%2F.md']
    return check(
      folder(Object.fromEntries(names.map((name) => [name, 'x']))),
      names.sort().map((name) => `${name}: x`),
    )
  })

  test('yields the top-level licence if there is exactly one', async () => {
    await check(folder({ LICENSE: 'As is.', 'a.md': 'A' }), ['licence: As is.', 'a.md: A'])
    const two = folder({ 'LICENSE-MIT': 'As is.', 'LICENSE-OTHER': 'No.', 'a.md': 'A' })
    await check(two, ['a.md: A'])
    const large = folder({ LICENSE: 'x'.repeat(1_100_000), 'a.md': 'A' })
    await check(large, [`-${large}: its licence: it is 2 MB, limit is 1 MB`, 'a.md: A'])
  })

  test('yields no pages for an empty folder', () => check(folder({}), []))

  test('yields pages with percent-encoded file URLs', async () => {
    const path = folder({ 'a b/ü?.md': 'A' })
    expect(urls(await Array.fromAsync(read(path)))).toEqual([
      `file://${encodeURI(path)}/a%20b/%C3%BC%3F.md`,
    ])
  })

  test('yields URLs below the base URL if there is one', async () => {
    const path = folder({ 'a b/c.md': 'A' })
    for (const base of ['https://x.org/docs', 'https://x.org/docs/']) {
      expect(urls(await Array.fromAsync(read(path, base)))).toEqual([
        'https://x.org/docs/a%20b/c.md',
      ])
    }
  })

  test('reads a single file, even a hidden one or a link', async () => {
    const path = folder({ '.a.md': 'A', 'b.md': 'B', 'l.md': { link: '.a.md' } })
    await check(join(path, '.a.md'), ['.a.md: A'])
    await check(join(path, 'l.md'), ['l.md: A'])
    expect(urls(await Array.fromAsync(read(join(path, '.a.md'))))).toEqual([
      `file://${encodeURI(path)}/.a.md`,
    ])
  })
})

describe('skipped files', () => {
  test('reports each skipped file by path, and a skipped folder as a whole', () =>
    check(
      folder({
        '.git/a.md': 'x',
        '.github/a.md': 'x',
        'node_modules/a/b.md': 'x',
        'LICENSE.md': 'x',
        'static/a.html': 'x',
        'build/b.md': 'B',
        'a.png': 'x',
      }),
      [
        '-.github: hidden folder',
        '-node_modules: of folders named node_modules, which are not read',
        '-LICENSE.md: not documentation, by its name',
        '-static/: of folders named static, which are read only if they contain .md, .mdx, .dox, .rst, .adoc or .org',
        'ignored: .png',
        'licence: x',
        'build/b.md: B',
      ],
    ))

  test('W-62 reads symbolic links only within the folder, and no file twice', () =>
    check(
      folder({
        'a.md': 'A',
        '.env': 'TOKEN',
        '.notes.md': 'N',
        'passwd.md': { link: '/etc/passwd' },
        'up.md': { link: '../../x.md' },
        'same.md': { link: 'a.md' },
        'gone.md': { link: 'nope.md' },
        'round.md': { link: 'round.md' },
        loop: { link: '.' },
        'secret.md': { link: '.env' },
        'notes.md': { link: '.notes.md' },
        'x.png': { link: '/etc/passwd' },
      }),
      [
        '-gone.md: symbolic link that cannot be followed',
        '-loop: symbolic link to a folder',
        '-round.md: symbolic link that cannot be followed',
        '-up.md: symbolic link that cannot be followed',
        '-.notes.md: hidden file',
        'ignored: .png',
        'a.md: A',
        'notes.md: N',
        '-passwd.md: symbolic link that leaves the folder',
        '-same.md: symbolic link to a.md, which is read itself',
        '-secret.md: symbolic link to .env, which is not documentation',
      ],
    ))

  test('skips a file of 200 MB without reading it', async () => {
    const path = folder({ 'a.md': 'A', 'big.md': '' })
    truncateSync(join(path, 'big.md'), 200 * 2 ** 20)
    const before = process.memoryUsage().rss
    await check(path, ['a.md: A', '-big.md: file is 200 MB, limit is 8 MB'])
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20)
  })

  test('skips bytes that are not text, and Git LFS pointers', () =>
    check(
      folder({
        'a.md': new Uint8Array([0x61, 0xff]),
        'b.txt': 'a\0b',
        'c.md': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9\n`,
      }),
      [
        '-a.md: text in an unknown encoding',
        '-b.txt: binary, not text',
        '-c.md: Git LFS pointer, the file itself is not here',
      ],
    ))

  test('skips a pipe without waiting for it', async () => {
    const path = folder({})
    Bun.spawnSync(['mkfifo', join(path, 'pipe.md')])
    await check(path, ['-pipe.md: neither file nor folder'])
  })
})

describe('unreadable files', () => {
  test('reports an unreadable file and reads the other files', async () => {
    const path = folder({ 'a.md': 'A', 'b.md': 'B', 'c.md': 'C' })
    const seen: string[] = []
    for await (const event of read(path)) {
      seen.push(shownEvent(event))
      rmSync(join(path, 'b.md'), { force: true })
    }
    expect(seen).toEqual(['a.md: A', `!file://${encodeURI(path)}/b.md: no such file`, 'c.md: C'])
  })

  test('throws if the source itself does not exist', async () =>
    expect(Array.fromAsync(read(join(temp.path, 'nope')))).rejects.toThrow(
      'no such file or folder',
    ))

  test('reads no files after an abort', async () => {
    const path = folder({ 'a.md': 'A', 'b.md': 'B' })
    const resolved = await resolveSource(
      { kind: 'local_path', path },
      { version: null, today: new Date() },
    )
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(Array.fromAsync(sourcePages(resolved, { signal }))).rejects.toThrow('stopped')
  })
})

describe('known files', () => {
  async function now(path: string, known: Map<string, string>): Promise<string[]> {
    const resolved = await resolveSource(
      { kind: 'local_path', path },
      { version: null, today: new Date() },
    )
    const events = await Array.fromAsync(sourcePages(resolved, { before: known }))
    for (const event of events) {
      if (event.type === 'page') known.set(event.page.url, event.validator!)
      if (event.type === 'unchanged' && event.validator) known.set(event.url, event.validator)
    }
    return events
      .filter(({ type }) => type !== 'license')
      .map((event) => shownEvent(event).replace(/^=.*\//, '='))
  }

  test('parses known files again if their bytes changed', async () => {
    const path = folder({ 'a.md': 'A', 'b.md': 'B' })
    const known = new Map<string, string>()
    expect(await now(path, known)).toEqual(['a.md: A', 'b.md: B'])
    expect(await now(path, known)).toEqual(['=a.md', '=b.md'])
    rewriteUnnoticed(join(path, 'a.md'), 'X')
    expect(await now(path, known)).toEqual(['a.md: X', '=b.md'])
    utimesSync(join(path, 'b.md'), 1, 1)
    expect(await now(path, known)).toEqual(['=a.md', '=b.md'])
  })

  test('does not read known files whose size and times are unchanged', async () => {
    const path = folder({ 'a.md': 'A' })
    const stats = statSync(join(path, 'a.md'), { bigint: true })
    const known = new Map([[`file://${encodeURI(path)}/a.md`, `${fileStamp(stats)} 0`]])
    expect(await now(path, known)).toEqual(['=a.md'])
  })

  test('keeps known files if their folder cannot be listed', async () => {
    const path = folder({ 'a.md': 'A', 'sub/b.md': 'B' })
    const script = `
      import { sourcePages } from '${join(import.meta.dir, '../../src/source/pages.ts')}'
      const source = { kind: 'local_path', path: process.argv[1] }
      const events = sourcePages({ source, version: '1', ref: null, commit: null })
      for await (const event of events) console.log(JSON.stringify(event))`
    chmodSync(join(path, 'sub'), 0o000)
    const isRoot = process.getuid?.() === 0
    const drop = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search']
    const ran = Bun.spawnSync([...(isRoot ? drop : []), process.execPath, '-e', script, path])
    chmodSync(join(path, 'sub'), 0o755)
    const events = ran.stdout
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events[0]).toMatchObject({ type: 'failed', isFolder: true })
    expect(events[0].url).toEndWith('/sub')
  })
})

describe('docs paths of a folder', () => {
  let path = ''
  const read = (docsPaths: string[]) =>
    Array.fromAsync(localPages({ kind: 'local_path', path, docsPaths }))

  test('limits the pages to the docs paths, reports a missing one, and throws if all are missing', async () => {
    path = folder({ 'docs/a.md': 'A', 'guide/b.md': 'B', 'c.md': 'C' })
    const events = await read(['docs', 'gu*', 'nope'])
    expect(events.map((it) => (it.type === 'page' ? it.page.path : it.type))).toEqual([
      'failed',
      'docs/a.md',
      'guide/b.md',
    ])
    await expect(read(['nope'])).rejects.toThrow('Cannot find nope in')
  })
})

describe('W-13 the label of a folder', () => {
  type Options = { version: string | null; today: Date }
  const check = (name: string, options: Options, expected: string) =>
    test(name, async () => {
      const source: Source = { kind: 'local_path', path: temp.path }
      const follows = options.version === null ? { follows: true } : {}
      expect(await resolveSource(source, options)).toEqual({
        source,
        version: expected,
        ref: null,
        commit: null,
        ...follows,
      })
    })

  check(
    'uses the local date without a requested version',
    { version: null, today: new Date(2026, 0, 2, 23, 59) },
    'local-2026-01-02',
  )
  check('uses the requested version', { version: '1.2 beta/x', today: new Date() }, '1.2 beta/x')
})
