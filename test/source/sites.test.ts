import { describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { resolveSource, sourcePages } from '../../src/source/pages.ts'
import { siteConfigs } from '../../src/source/sites.ts'
import type { KnownPages, SourceEvent } from '../../src/source/source.ts'
import type { Source } from '../../src/store/source.ts'
import { commit, git, writeFiles, type Files } from '../support/repository.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

const book: Files = {
  'book/book.toml': '[book]\nsrc = "src"\n',
  'book/src/SUMMARY.md': '- [First steps](a.md)\n- [More](b.md)\n',
  'book/src/a.md': '## One\n\n{{#include ../../code/x.rs:main}}\n\n## Two\n',
  'book/src/b.md': '# More\n\nMore of the lamp.\n',
  'book/src/unlisted.md': '# Unlisted\n',
  'code/x.rs': '// ANCHOR: main\nfn main() {}\n// ANCHOR_END: main\n',
}

const expected = [
  '-book/src/SUMMARY.md: not a page of the site (mdBook)',
  '-book/src/unlisted.md: not a page of the site (mdBook)',
  'mdBook in book: 2',
  'order: book/src/a.md,book/src/b.md',
  'First steps: ## One | fn main() {} | ## Two',
  'More: # More | More of the lamp.',
]

function shown(event: SourceEvent): string[] {
  if (event.type === 'page') {
    const { title, text } = event.page
    return [`${title}: ${text.trim().replace(/\n+/g, ' | ')}`]
  }
  if (event.type === 'site') return [`${event.generator} in ${event.folder}: ${event.pages}`]
  if (event.type === 'skipped') return [`-${event.path}: ${event.reason}`]
  if (event.type === 'order') return [`order: ${event.paths}`]
  return event.type === 'unchanged' ? [`=${/[^/]*$/.exec(event.url)![0]}`] : []
}

async function read(source: Source, before?: KnownPages): Promise<SourceEvent[]> {
  const resolved = await resolveSource(source, { version: null, today: new Date() })
  return Array.fromAsync(sourcePages(resolved, before ? { before } : {}))
}

function known(events: readonly SourceEvent[]): KnownPages {
  return new Map(
    events.flatMap((it) =>
      it.type === 'page' ? [[it.page.url, it.validator ?? ''] as const] : [],
    ),
  )
}

function repository(name: string): { work: string; source: Source } {
  const work = join(temp.path, name)
  commit(work, book)
  return { work, source: { kind: 'git_repo', url: published(work), docsPaths: ['book/src'] } }
}

/** Returns the URL of a bare clone that serves single files. */
function published(work: string): string {
  const bare = `${work}.git`
  rmSync(bare, { recursive: true, force: true })
  git(temp.path, 'clone', '--quiet', '--bare', work, bare)
  git(bare, 'config', 'uploadpack.allowFilter', 'true')
  return `file://${bare}`
}

describe('detects a site next to the requested folder', () => {
  test('finds the site of a repository, and fetches files outside the folder', async () => {
    const { source } = repository('r1')
    expect((await read(source)).flatMap(shown)).toEqual(expected)
  })

  test('finds the site of a folder in a work tree', async () => {
    const work = join(temp.path, 'local')
    mkdirSync(work)
    writeFiles(work, { ...book, '.git/HEAD': 'ref: refs/heads/main\n' })
    const found = await read({ kind: 'local_path', path: join(work, 'book', 'src') })
    const paths = expected.map((line) => line.replaceAll('book/src/', ''))
    expect(found.flatMap(shown)).toEqual(paths)
  })

  test('finds the site in an archive', async () => {
    const url = join(temp.path, 'book.zip')
    const packed = Object.entries(book).map(([path, text]) => [path, Buffer.from(text as string)])
    writeFileSync(url, zipSync(Object.fromEntries(packed)))
    const found = await read({ kind: 'archive', url, docsPaths: ['book/src'] })
    expect(found.flatMap(shown)).toEqual(expected)
  })
})

test('finds the code folders of each documentation site in a repository', async () => {
  const work = join(temp.path, 'several')
  const files = ['a', 'b'].flatMap((name) => [
    [`${name}/docs/antora.yml`, `name: ${name}\n`],
    [
      `${name}/docs/modules/ROOT/pages/x.adoc`,
      `= Page\n\n[[${name}]]\n== S\n\ninclude-code::Main[]\n`,
    ],
    [`${name}/src/main/java/org/docs/${name}/Main.java`, `class ${name} {}\n`],
  ])
  commit(work, Object.fromEntries(files) as Files)
  const found = await read({ kind: 'git_repo', url: published(work), docsPaths: ['a', 'b'] })
  const pages = found.flatMap((event) => (event.type === 'page' ? [event.page.text] : []))
  expect(pages.map((text) => /class \w/.exec(text)?.[0])).toEqual(['class a', 'class b'])
})

test('reads a page again only if its own title in the navigation has changed', async () => {
  const { work, source } = repository('r2')
  const before = known(await read(source))
  expect((await read(source, before)).flatMap(shown)).toContain('=a.md')
  const summary = '- [First steps](a.md)\n- [Much more](b.md)\n'
  commit(work, { ...book, 'book/src/SUMMARY.md': summary })
  published(work)
  expect((await read(source, before)).flatMap(shown)).toContain(
    'Much more: # More | More of the lamp.',
  )
})

test('reads a file of a folder again only if its own title has changed', async () => {
  const work = join(temp.path, 'titles')
  mkdirSync(work)
  writeFiles(work, book)
  const source: Source = { kind: 'local_path', path: work, docsPaths: ['book/src'] }
  const first = await read(source)
  const before = known(first)
  writeFiles(work, { ...book, 'book/src/SUMMARY.md': '- [One](a.md)\n- [Much more](b.md)\n' })
  const again = (await read(source, before)).flatMap(shown)
  expect(again).toContain('Much more: # More | More of the lamp.')
  const unchanged = await read(source, known(await read(source)))
  expect(unchanged.flatMap(shown)).toContain('=b.md')
})

test('prefers configuration near the top, and ignores files far from all pages', () => {
  const paths = ['a/b/c/d/book.toml', 'docs/book.toml', 'docs/x/y/z/book.toml']
  const pages = ['docs/x/y/z/src/page.md']
  expect(siteConfigs(paths, pages).map(({ path }) => path)).toEqual([
    'docs/book.toml',
    'docs/x/y/z/book.toml',
  ])
})
