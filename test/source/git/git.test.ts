import { beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { resolveSource, sourcePages } from '../../../src/source/pages.ts'
import type { SourceEvent } from '../../../src/source/source.ts'
import type { Source } from '../../../src/store/source.ts'
import { commit, git, writeFiles, type Files } from '../../support/repository.ts'
import {
  bareRepository,
  publishRepository,
  readRepository,
  shownEvent,
  type RepositoryRequest,
} from '../../support/pages/source-events.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

const repository = (files: Files) => bareRepository(temp.path, files)

/**
 * Returns one line per event: path and text of a page, `-` for a skipped path, `!` for a failure.
 */
async function check(url: string, asked: RepositoryRequest, expected: string[]): Promise<void> {
  const events = await readRepository(url, asked)
  expect(events.map((event) => shownEvent(event))).toEqual(expected)
}

const urls = (events: SourceEvent[]) =>
  events.flatMap((event) => (event.type === 'page' ? [event.page.url] : []))

describe('pages of a repository', () => {
  test('yields pages in path order, with the URL of the file at the ref', async () => {
    const { url, bare } = repository({ 'z.md': 'Z', 'docs/a b.md': 'A', 'x.png': 'x' })
    await check(url, {}, ['ignored: .png', 'docs/a b.md: A', 'z.md: Z'])
    expect(urls(await readRepository(url))).toEqual([
      `file://${bare}/main/docs/a%20b.md`,
      `file://${bare}/main/z.md`,
    ])
  })

  test('yields the top-level licence, whatever the docs paths', async () => {
    const files = { 'docs/a.md': 'A', 'docs/LICENSE': 'Not it.', 'COPYING.txt': 'As is.' }
    const { url } = repository(files)
    await check(url, { docsPaths: ['docs'] }, ['licence: As is.', 'docs/a.md: A'])
  })

  test('keeps unusual file names', async () => {
    const names = [
      'a "b".md',
      "it's.md",
      'new\nline.md',
      'tab\t.md',
      'ü/日本.md',
      '-x/$(id).md',
      'back\\slash.md',
      '%2F.md',
      '*?[a].md',
    ]
    const { url } = repository(Object.fromEntries(names.map((name) => [name, 'x'])))
    const events = await readRepository(url)
    expect(events.map((event) => shownEvent(event))).toEqual(
      names.sort().map((name) => `${name}: x`),
    )
    expect(new Set(urls(events)).size).toBe(names.length)
  })

  test('W-60 reads pages at branches and tags named like an option', async () => {
    const { url, bare } = repository({ 'a.md': 'x', '--help/-x.md': 'y' })
    const proof = join(temp.path, 'proof')
    const names = ['--upload-pack=touch${IFS}' + proof, '--all', '-x', '--output=' + proof]
    for (const name of names) git(bare, 'update-ref', `refs/heads/${name}`, 'main')
    git(bare, 'update-ref', 'refs/tags/--exec', 'main')
    await check(url, {}, ['--help/-x.md: y', 'a.md: x'])
    for (const version of [...names, '--exec']) {
      await check(url, { version, docsPaths: ['--help'] }, ['--help/-x.md: y'])
    }
    git(bare, 'symbolic-ref', 'HEAD', 'refs/heads/--all')
    await check(url, {}, ['--help/-x.md: y', 'a.md: x'])
    expect(existsSync(proof)).toBe(false)
  })

  test('W-22 yields the English pages if there are translations, or the requested languages', async () => {
    const { url } = repository({
      'docs/en/a.md': 'A',
      'docs/de/a.md': 'A auf deutsch',
      'docs/ja/b.md': 'B',
    })
    await check(url, {}, [
      '-docs/de/a.md: a translation; --language de reads it',
      'docs/en/a.md: A',
      'docs/ja/b.md: B',
    ])
  })

  test('yields no pages if the repository has no documentation', async () =>
    check(repository({ 'a.png': 'x' }).url, {}, ['ignored: .png']))

  test('yields the pages of the requested version', async () => {
    const { work } = repository({ 'a.md': 'one' })
    git(work, 'tag', '--annotate', 'v1.0.0', '--message=t')
    const first = git(work, 'rev-parse', 'HEAD')
    git(work, 'checkout', '--quiet', '-b', 'rel/2')
    commit(work, { 'a.md': 'two' })
    git(work, 'checkout', '--quiet', 'main')
    commit(work, { 'a.md': 'three' })
    const url = `file://${publishRepository(work)}`
    await check(url, {}, ['a.md: three'])
    await check(url, { version: '1.0.0' }, ['a.md: one'])
    await check(url, { version: 'rel/2' }, ['a.md: two'])
    await check(url, { version: first }, ['a.md: one'])
    expect(urls(await readRepository(url, { version: 'rel/2' }))).toEqual([`${url}/rel/2/a.md`])
  })

  test('yields the pages of the resolved commit, even if the branch has moved', async () => {
    const { work, url } = repository({ 'a.md': 'one' })
    const source: Source = { kind: 'git_repo', url, docsPaths: [] }
    const resolved = await resolveSource(source, { version: null, today: new Date() })
    commit(work, { 'a.md': 'two' })
    git(work, 'push', '--quiet', url, 'main')
    const events = await Array.fromAsync(sourcePages(resolved))
    expect(events.map((event) => shownEvent(event))).toEqual(['a.md: one'])
  })

  test('W-07 yields the pages at the ref and below the path of a pasted web URL', async () => {
    const { work } = repository({ 'docs/a.md': 'one', 'b.md': 'B' })
    git(work, 'tag', 'v1/x')
    commit(work, { 'docs/a.md': 'two' })
    await check(`file://${publishRepository(work)}`, { refPath: 'v1/x/docs' }, ['docs/a.md: one'])
  })
})

describe('docs paths of a repository', () => {
  const files = { 'docs/a.md': 'A', 'docs/en/b.md': 'B', '-d/c.md': 'C', 'e.md': 'E' }
  const cases: [string[], string[]][] = [
    [['docs'], ['docs/a.md: A', 'docs/en/b.md: B']],
    [
      ['docs/a.md', 'e.md'],
      ['docs/a.md: A', 'e.md: E'],
    ],
    [['docs/*.md'], ['docs/a.md: A']],
    [['**/en'], ['docs/en/b.md: B']],
    [['-d'], ['-d/c.md: C']],
    [
      ['e.md', 'gone'],
      ['!gone: docs path is not in the repository at main', 'e.md: E'],
    ],
  ]
  let url: string
  beforeAll(() => {
    url = repository(files).url
  })
  for (const [docsPaths, expected] of cases) {
    test(docsPaths.join(' '), () => check(url, { docsPaths }, expected))
  }

  test('throws if all docs paths are missing', async () =>
    expect(readRepository(url, { docsPaths: ['gone', '*.rst'] })).rejects.toThrow(
      'Cannot find gone, *.rst in',
    ))

  test('leaves all other files on the server', async () => {
    const { bare, url } = repository({ 'docs/a.md': 'A', 'docs/big.png': 'P', 'src/b.md': 'B' })
    for (const path of ['docs/big.png', 'src/b.md']) {
      const id = git(bare, 'rev-parse', `HEAD:${path}`)
      rmSync(join(bare, 'objects', id.slice(0, 2), id.slice(2)))
    }
    await check(url, { docsPaths: ['docs'] }, ['ignored: .png', 'docs/a.md: A'])
    await expect(readRepository(url)).rejects.toThrow('Cannot read file://')
  })
})

describe('a server without filters', () => {
  test('reads the same pages from a server that sends all files', async () => {
    const { url, bare } = repository({ 'docs/a.md': 'A', 'b.md': 'B' })
    git(bare, 'config', 'uploadpack.allowFilter', 'false')
    await check(url, { docsPaths: ['docs'] }, ['docs/a.md: A'])
  })

  test('reads the same pages from a bundle', async () => {
    const { work } = repository({ 'docs/a.md': 'A', 'b.md': 'B' })
    git(work, 'tag', 'v1')
    const bundle = join(temp.path, `b 'ü"\n.bundle`)
    git(work, 'bundle', 'create', '--quiet', bundle, '--all')
    await check(bundle, { docsPaths: ['docs'], version: '1' }, ['docs/a.md: A'])
    expect(urls(await readRepository(bundle, { docsPaths: ['b.md'] }))).toEqual([
      `file://${encodeURI(temp.path)}/b%20'%C3%BC%22%0A.bundle/main/b.md`,
    ])
  })

  test('reads the same pages from a working tree given as a file:// URL', async () =>
    check(`file://${repository({ 'a.md': 'A' }).work}`, {}, ['a.md: A']))
})

describe('other content of a repository', () => {
  test('W-62 reads symbolic links only within the repository, and no file twice', async () =>
    check(
      repository({
        'docs/passwd.md': { link: '/etc/passwd' },
        'docs/up.md': { link: '../../../etc/passwd.md' },
        'docs/readme.md': { link: '../README.md' },
        'docs/same.md': { link: './a.md' },
        'docs/chain.md': { link: 'readme.md' },
        'docs/round.md': { link: 'round.md' },
        'docs/secret.md': { link: '../.env' },
        'docs/gone.md': { link: 'gone2.md' },
        'docs/folder': { link: '/etc' },
        'docs/through.md': { link: 'folder/hosts.md' },
        'docs/a.md': 'A',
        'README.md': 'R',
        '.env': 'TOKEN',
      }).url,
      { docsPaths: ['docs'] },
      [
        'docs/a.md: A',
        '-docs/chain.md: symbolic link to docs/readme.md, which is read itself',
        '-docs/gone.md: symbolic link to nothing in the repository',
        '-docs/passwd.md: symbolic link that leaves the repository',
        'docs/readme.md: R',
        '-docs/round.md: symbolic links that lead in a circle',
        '-docs/same.md: symbolic link to docs/a.md, which is read itself',
        '-docs/secret.md: symbolic link to .env, which is not documentation',
        '-docs/through.md: symbolic link to nothing in the repository',
        '-docs/up.md: symbolic link that leaves the repository',
      ],
    ))

  test('skips Git LFS pointers, large files and bytes that are not text', async () =>
    check(
      repository({
        'a.md': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9\n`,
        'b.md': new Uint8Array(9 * 2 ** 20).fill(97),
        'c.md': new Uint8Array([0x61, 0xff, 0xfe]),
        'd.txt': 'a\0b',
        'e.md': 'E',
      }).url,
      {},
      [
        '-a.md: Git LFS pointer, the file itself is not here',
        '-b.md: file is 9 MB, limit is 8 MB',
        '-c.md: text in an unknown encoding',
        '-d.txt: binary, not text',
        'e.md: E',
      ],
    ))

  test('reports only the notebook that is not JSON as failed', async () => {
    const [failure, page] = await readRepository(repository({ 'a.ipynb': 'no', 'b.md': 'B' }).url)
    expect(failure).toMatchObject({
      type: 'failed',
      url: expect.stringMatching(/\/main\/a\.ipynb$/),
    })
    expect(shownEvent(page!)).toBe('b.md: B')
  })

  test('reports submodules and does not read them', async () => {
    const { url: inner } = repository({ 'x.md': 'X' })
    const { work } = repository({ 'docs/a.md': 'A' })
    git(work, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'docs/sub')
    git(work, 'commit', '--quiet', '--message=t')
    await check(`file://${publishRepository(work)}`, { docsPaths: ['docs'] }, [
      '-docs/sub: submodules are not read',
      'docs/a.md: A',
    ])
  })

  test("ignores line-ending settings, filters and hooks of the user's git configuration", async () => {
    const mark = join(temp.path, 'mark')
    writeFiles(temp.path, {
      'hooks/reference-transaction': `#!/bin/sh\ntouch '${mark}'\n`,
      'user.gitconfig':
        `[core]\nhooksPath = ${temp.path}/hooks\nautocrlf = true\n` +
        `fsmonitor = touch '${mark}'\n[filter "x"]\nsmudge = touch '${mark}'\n`,
    })
    chmodSync(join(temp.path, 'hooks/reference-transaction'), 0o755)
    const { url } = repository({ 'a.md': 'A\n', '.gitattributes': '* filter=x\n' })
    process.env.GIT_CONFIG_GLOBAL = join(temp.path, 'user.gitconfig')
    await check(url, {}, ['a.md: A']).finally(() => {
      delete process.env.GIT_CONFIG_GLOBAL
    })
    expect(existsSync(mark)).toBe(false)
  })

  test('does not change the repository whose hook started og', async () => {
    const { url, work } = repository({ 'a.md': 'A' })
    process.env.GIT_DIR = join(work, '.git')
    await check(url, {}, ['a.md: A']).finally(() => {
      delete process.env.GIT_DIR
    })
    expect(git(work, 'for-each-ref', 'refs/og')).toBe('')
  })
})
