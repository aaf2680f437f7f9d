import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { resolveSource, sourcePages } from '../../../src/source/pages.ts'
import { commit, git, type Files } from '../../support/repository.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

let nRepositories = 0

/**
 * Expects the text and includes of each page below `docs`, read from a server that sends single
 * files. Returns the fetches from this server.
 */
async function check(
  files: Files,
  expected: Record<string, { text: string; includes?: string[] }>,
): Promise<string[]> {
  const work = join(temp.path, `r${nRepositories++}`)
  commit(work, files)
  const bare = `${work}.git`
  git(temp.path, 'clone', '--quiet', '--bare', work, bare)
  git(bare, 'config', 'uploadpack.allowFilter', 'true')
  const trace = join(temp.path, `trace${nRepositories}`)
  process.env.GIT_TRACE = trace
  const source = { kind: 'git_repo' as const, url: `file://${bare}`, docsPaths: ['docs'] }
  const resolved = await resolveSource(source, { version: null, today: new Date() })
  const events = await Array.fromAsync(sourcePages(resolved))
  delete process.env.GIT_TRACE
  const pages = events.flatMap((event) =>
    event.type !== 'page'
      ? []
      : [
          [
            event.page.path,
            {
              text: event.page.text.trim(),
              ...(event.includes ? { includes: event.includes } : {}),
            },
          ],
        ],
  )
  expect(Object.fromEntries(pages)).toEqual(expected)
  const lines = (await Bun.file(trace).text()).split('\n')
  return lines.filter((line) => /built-in: git fetch /.test(line))
}

test('W-25: fetches included files outside the docs path with one request per level', async () => {
  const fetches = await check(
    {
      'docs/a.md': '{* ../src/a.py *}',
      'docs/b.md': '--8<-- "parts/b.md"\n{* ../src/b.py *}',
      'parts/b.md': '--8<-- "c.md"',
      'parts/c.md': 'C',
      'src/a.py': 'a',
      'src/b.py': 'b',
      'src/unused.py': 'u',
    },
    {
      'docs/a.md': { text: '```python\na\n```', includes: ['src/a.py'] },
      'docs/b.md': {
        text: 'C\n```python\nb\n```',
        // Missing files count too, because they may be added later.
        includes: ['docs/parts/b.md', 'parts/b.md', 'src/b.py', 'parts/c.md'],
      },
    },
  )
  // One fetch each for the commit, the pages, their includes, and the nested includes.
  expect(fetches).toHaveLength(4)
})

test('fetches the source files of a package from which a page takes documentation', async () => {
  const fetches = await check(
    {
      'docs/a.rst': '.. autofunction:: tool.on\n',
      'tool/__init__.py': 'from ._impl import on\n',
      'tool/_impl.py': 'def on(slowly=False):\n    """Turns on."""\n',
      'other/__init__.py': 'x = 1\n',
    },
    {
      'docs/a.rst': {
        text: '`tool.on(slowly=False)`\n\nTurns on.',
        includes: ['tool/', 'tool/__init__.py', 'tool/_impl/', 'tool/_impl.py'],
      },
    },
  )
  // One fetch each for the commit, the page, and the files of the package.
  expect(fetches.length).toBeLessThanOrEqual(3)
})

test('fetches the Julia files whose docstrings a page shows', async () => {
  const fetches = await check(
    {
      'docs/a.md': '```@docs\non\n```\n',
      'src/Tool.jl': 'module Tool\nfor f in files include(f) end\nend\n',
      'src/on/switch.jl': '"Turns on."\non(slowly) = 1\n',
      'other/x.py': '',
    },
    {
      'docs/a.md': {
        text: '## `Tool.on`\n\n```julia\non(slowly)\n```\n\nTurns on.',
        includes: [
          ...['src', 'ext', 'base', 'stdlib', 'lib'].map((folder) => `${folder}/*.jl`),
          'src/Tool.jl',
          'src/on/switch.jl',
        ],
      },
    },
  )
  expect(fetches.length).toBeLessThanOrEqual(3)
})

test('follows no links, reads no files outside the repository, and skips binary files', () =>
  check(
    {
      'docs/a.md':
        '--8<-- "link.md"\n--8<-- "../../../../etc/hostname"\n--8<-- "bytes.md"\n' +
        '--8<-- "up/x.md"\n--8<-- "parts"',
      'link.md': { link: '/etc/hostname' },
      'bytes.md': new Uint8Array([0xff, 0, 1]),
      up: { link: '..' },
      'parts/x.md': 'X',
    },
    {
      'docs/a.md': {
        text:
          '--8<-- "link.md"\n--8<-- "../../../../etc/hostname"\n--8<-- "bytes.md"\n' +
          '--8<-- "up/x.md"\n--8<-- "parts"',
        includes: [
          'docs/link.md',
          'link.md',
          'docs/bytes.md',
          'bytes.md',
          'docs/up/x.md',
          'up/x.md',
          'docs/parts',
          'parts',
        ],
      },
    },
  ))

test('reads a page again if a page that it refers to has changed', async () => {
  const work = join(temp.path, `r${nRepositories++}`)
  commit(work, {
    'docs/a.rst': 'See :doc:`b`.\n',
    'docs/b.rst': 'Old\n===\n',
    'docs/c.rst': 'See :ref:`d`.\n',
    'docs/d.rst': '.. _d:\n\nDee\n===\n',
  })
  git(work, 'config', 'uploadpack.allowFilter', 'true')
  const known = new Map<string, string>()
  const read = async () => {
    const source = { kind: 'git_repo' as const, url: `file://${work}`, docsPaths: ['docs'] }
    const resolved = await resolveSource(source, { version: null, today: new Date() })
    const texts: Record<string, string> = {}
    for await (const event of sourcePages(resolved, { before: new Map(known) })) {
      if (event.type !== 'page') continue
      const { path, text, url } = event.page
      texts[path] = text.trim()
      known.set(url, event.validator ?? '')
    }
    return texts
  }
  const [b, d] = ['# Old', '# Dee']
  expect(await read()).toEqual({
    'docs/a.rst': 'See Old.',
    'docs/b.rst': b,
    'docs/c.rst': 'See Dee.',
    'docs/d.rst': d,
  })
  commit(work, { 'docs/b.rst': 'New\n===\n' })
  expect(await read()).toEqual({ 'docs/a.rst': 'See New.', 'docs/b.rst': '# New' })
  // The label is in a page that has not changed.
  commit(work, { 'docs/c.rst': 'Read :ref:`d`.\n' })
  expect(await read()).toEqual({ 'docs/c.rst': 'Read Dee.' })
})
