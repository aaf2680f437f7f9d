import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OgError } from '../../../src/platform/error.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { parseRefs, resolveGit } from '../../../src/source/git/git-refs.ts'
import { commit, git } from '../../support/repository.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const commits: Record<string, string> = {}

const temp = disposeAfterAll(await createTempFolder('og-test'))
const work = join(temp.path, 'work')
commits['v1.0.0'] = commit(work, { 'docs/a.md': 'one' })
git(work, 'tag', '--annotate', 'v1.0.0', '--message=t')
commits['feature/x'] = commit(work, { 'docs/b.md': 'two' })
git(work, 'branch', 'feature/x')
git(work, 'tag', 'feature')
git(work, 'tag', 'v1.1.0-rc.1')
git(work, 'tag', 'ui@2.0.0')
commits.main = commit(work, { 'docs/c.md': 'three' })
git(temp.path, 'clone', '--quiet', '--bare', 'work', 'my repo.git')
const url = `file://${encodeURI(temp.path)}/my%20repo.git`

describe('resolving a version', () => {
  const check = (requested: string | null, expected: object) =>
    test(String(requested), async () =>
      expect(await resolveGit(url, requested)).toMatchObject(expected),
    )

  const latest = { version: 'latest', ref: 'main', refKind: 'branch', defaultBranch: 'main' }
  check(null, latest)
  check('latest', latest)
  check('main', { version: 'main', ref: 'main', refKind: 'branch' })
  check('1.0.0', { version: 'v1.0.0', ref: 'v1.0.0', refKind: 'tag' })
  check('1', { version: 'v1.0.0' })
  check('2.0.0', { version: 'ui@2.0.0' })
  check('feature/x', { version: 'feature/x', refKind: 'branch' })

  test('returns the commit of an annotated tag', async () => {
    expect((await resolveGit(url, 'v1.0.0')).commit).toBe(commits['v1.0.0']!)
    expect((await resolveGit(url, null)).commit).toBe(commits.main!)
  })

  test("returns the newest tag of a branch's commit, even an annotated one", async () => {
    const url = `file://${encodeURI(temp.path)}/tagged`
    const folder = join(temp.path, 'tagged')
    commit(folder, { 'a.md': 'one' })
    expect((await resolveGit(url, null)).tag).toBe(null)
    for (const tag of ['latest', 'v1.9.0', 'v1.10.0-rc.1']) git(folder, 'tag', tag)
    expect((await resolveGit(url, null)).tag).toBe('v1.9.0')
    git(folder, 'tag', '--annotate', '--message=t', 'v1.10.0')
    expect(await resolveGit(url, null)).toMatchObject({ version: 'latest', tag: 'v1.10.0' })
    expect(await resolveGit(url, 'main')).toMatchObject({ version: 'main', tag: 'v1.10.0' })
    expect((await resolveGit(url, 'v1.9.0')).tag).toBe(null)
  })

  test('accepts a full commit id', async () =>
    expect(await resolveGit(url, commits['v1.0.0']!)).toMatchObject({
      version: commits['v1.0.0']!,
      refKind: 'commit',
    }))

  test('suggests the five nearest refs if the requested one is missing', async () => {
    const error = (await resolveGit(url, 'v1.0.1').catch((thrown: OgError) => thrown)) as OgError
    expect(error.message).toStartWith('Cannot find tag or branch "v1.0.1" in file://')
    expect(error.hint).toMatch(/^nearest: v1\.0\.0, /)
    expect(error.hint!.split(', ')).toHaveLength(5)
  })
})

describe('W-07: splits REF/PATH of a web URL at an existing ref', () => {
  const check = (refPath: string, version: string, docsPath: string | null) =>
    test(refPath, async () =>
      expect(await resolveGit(url, null, { refPath })).toMatchObject({ version, docsPath }),
    )

  check('v1.0.0', 'v1.0.0', null)
  check('v1.0.0/docs/en', 'v1.0.0', 'docs/en')
  check('feature/x/docs', 'feature/x', 'docs')
  check('feature/y/docs', 'feature', 'y/docs')
  check('HEAD/docs', 'main', 'docs')

  test('prefers the requested version to the ref in the URL', async () =>
    expect(await resolveGit(url, '1.0.0', { refPath: 'main/docs' })).toMatchObject({
      version: 'v1.0.0',
      docsPath: 'docs',
    }))
  test('accepts the same REF/PATH as the version', async () =>
    expect(await resolveGit(url, 'v1.0.0/docs', { refPath: 'v1.0.0/docs' })).toMatchObject({
      version: 'v1.0.0',
      docsPath: 'docs',
    }))
  test('throws if no ref matches', () =>
    expect(resolveGit(url, null, { refPath: 'nope/docs' })).rejects.toThrow('"nope/docs"'))
})

describe('the default branch', () => {
  const oid = (digit: string) => digit.repeat(40)
  const check = (name: string, lines: string[], expected: string | null) =>
    test(name, () => expect(parseRefs(lines.join('\n')).head?.name ?? null).toBe(expected))

  check(
    'uses the branch to which HEAD points',
    [
      `ref: refs/heads/dev\tHEAD`,
      `${oid('1')}\tHEAD`,
      `${oid('1')}\trefs/heads/a`,
      `${oid('1')}\trefs/heads/dev`,
    ],
    'dev',
  )
  check(
    'uses the branch of a bundle with the commit of HEAD',
    [`${oid('2')}\trefs/heads/main`, `${oid('1')}\trefs/heads/dev`, `${oid('1')}\tHEAD`],
    'dev',
  )
  check('uses the only branch of a bundle without HEAD', [`${oid('1')}\trefs/heads/dev`], 'dev')
  check(
    'uses main if there are several branches',
    [`${oid('1')}\trefs/heads/a`, `${oid('2')}\trefs/heads/main`],
    'main',
  )
  check(
    'uses the commit of HEAD if no branch has it',
    [`${oid('1')}\tHEAD`, `${oid('2')}\trefs/heads/a`],
    oid('1'),
  )
  check('returns null without HEAD and branches', [`${oid('1')}\trefs/tags/v1`], null)
})

test('reads the refs of a bundle', async () => {
  const bundle = join(temp.path, 'a\n"b" ü.bundle')
  git(work, 'bundle', 'create', '--quiet', bundle, '--all')
  expect(await resolveGit(bundle, '1.0.0')).toMatchObject({ version: 'v1.0.0' })
  expect(await resolveGit(bundle, null)).toMatchObject({ version: 'latest', ref: 'main' })
})

describe('W-24 failures have distinct messages and never prompt for a password', () => {
  const check = async (failing: Promise<unknown>, expected: string) => {
    const error = await failing.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(OgError)
    expect((error as OgError).message).toContain(expected)
    expect((error as OgError).message).not.toMatch(/\n|secret/)
  }
  const serve = (status: number | null) =>
    Bun.serve({
      port: 0,
      fetch: () =>
        status === null
          ? new Promise<Response>(() => {})
          : new Response('no', { status, headers: { 'www-authenticate': 'Basic realm="x"' } }),
    })

  test('reports a missing repository', () =>
    check(resolveGit(`${url}x`, null), 'no such repository'))
  test('reports an empty repository', async () => {
    git(temp.path, 'init', '--quiet', '--bare', 'empty.git')
    await check(resolveGit(`file://${temp.path}/empty.git`, null), 'it has no default branch')
  })
  test('reports an unreachable server', () =>
    check(resolveGit('https://127.0.0.1:1/r.git', '1.0'), 'cannot be reached'))
  test('reports a required login', async () => {
    using server = serve(401)
    await check(resolveGit(`http://127.0.0.1:${server.port}/r.git`, null), 'asks for credentials')
    await check(
      resolveGit(`http://u:secret@127.0.0.1:${server.port}/r.git`, null),
      'asks for credentials',
    )
  })
  test('reports 404 as a missing repository', async () => {
    using server = serve(404)
    await check(resolveGit(`http://127.0.0.1:${server.port}/r.git`, null), 'no such repository')
  })
  test('reports a timeout', async () => {
    using server = serve(null)
    const failing = resolveGit(`http://127.0.0.1:${server.port}/r.git`, null, { timeoutMs: 300 })
    await check(failing, 'git took longer than 0.3 s')
  })
  test('prevents ssh from prompting in a terminal or window', async () => {
    const seen = join(temp.path, 'seen')
    process.env.GIT_SSH_COMMAND = `(: </dev/tty) 2>/dev/null && echo tty >'${seen}'; env >>'${seen}'; false`
    await check(resolveGit('git@example.org:o/r', null), 'git@example.org:o/r').finally(() => {
      delete process.env.GIT_SSH_COMMAND
    })
    const lines = readFileSync(seen, 'utf8').split('\n')
    expect(lines).toContain('GIT_TERMINAL_PROMPT=0')
    expect(lines).toContain('SSH_ASKPASS_REQUIRE=never')
    expect(lines).not.toContain('tty')
  })
  test('stops git on an abort', async () => {
    using server = serve(null)
    const signal = AbortSignal.timeout(200)
    const failing = resolveGit(`http://127.0.0.1:${server.port}/r.git`, null, { signal })
    await expect(failing).rejects.toThrow('timed out')
  })
  test('reports a missing git', async () => {
    const path = process.env.PATH
    process.env.PATH = temp.path
    await check(resolveGit(url, null), 'Cannot run "git": program not found').finally(() => {
      process.env.PATH = path
    })
  })
})

describe('W-60 rejects a URL that could run a command', () => {
  const check = (make: (mark: string) => string) =>
    test(make('x'), async () => {
      const mark = join(temp.path, 'mark')
      const failing = resolveGit(make(mark), null)
      await expect(failing).rejects.toThrow(OgError)
      expect(existsSync(mark)).toBe(false)
    })

  check((mark) => `--upload-pack=touch ${mark};`)
  check((mark) => `ext::sh -c touch% ${mark}`)
  check((mark) => `ssh://-oProxyCommand=touch ${mark}/x`)
  check((mark) => `-oProxyCommand=touch ${mark}:x`)
  check((mark) => `ftp://x/${mark}`)
  check(() => 'relative/path')
})
