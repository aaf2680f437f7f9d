import { describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import {
  isRepositoryInside,
  isTracked,
  readWorkTree,
  workTreeOf,
} from '../../../src/source/local-version.ts'
import { commit, git, writeFiles } from '../../support/repository.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og work tree \'ü":'))
const clone = () => join(temp().path, 'clone')

const stateOf = async (path: string) => {
  const tree = workTreeOf(path)
  return tree === null ? 'no tree' : readWorkTree(tree, {})
}

/** Expects this label for a path, and this number of changed files. */
async function check(path: string, label: string, changes = 0) {
  expect(await stateOf(path)).toMatchObject({ label, changes })
}

describe('the label of a working tree', () => {
  test('uses the tag of the commit, or the newest release if there are several', async () => {
    commit(clone(), { 'a.md': 'A' })
    for (const tag of ['stable', 'v1.9.0', 'v1.10.0', 'v2.0.0-rc.1']) git(clone(), 'tag', tag)
    await check(clone(), 'v1.10.0')
    expect(await stateOf(clone())).toMatchObject({
      longLabel: `v1.10.0-0-g${git(clone(), 'rev-parse', 'HEAD').slice(0, 7)}`,
    })
  })

  test("uses git describe's output after a tag, and gCOMMIT without a tag", async () => {
    const first = commit(clone(), { 'a.md': 'A' })
    await check(clone(), `g${first.slice(0, 7)}`)
    git(clone(), 'tag', '-a', 'v1', '-m', 'v1')
    commit(clone(), { 'a.md': 'B' })
    await check(clone(), git(clone(), 'describe', '--tags'))
  })

  test('adds -dirty only for changed, deleted, staged and untracked pages', async () => {
    commit(clone(), { 'a.md': 'A', 'b.md': 'B', '.gitignore': 'made/\n' })
    git(clone(), 'tag', 'v1')
    writeFiles(clone(), { 'made/x.md': 'X', 'notes.tmp': 'N', 'node_modules/p/README.md': 'P' })
    await check(clone(), 'v1')
    writeFiles(clone(), { 'new.md': 'N' })
    await check(clone(), 'v1-dirty', 1)
    writeFiles(clone(), { 'a.md': 'changed' })
    git(clone(), 'rm', '--quiet', 'b.md')
    await check(clone(), 'v1-dirty', 3)
  })

  test('counts only changes below a subfolder or file', async () => {
    commit(clone(), { 'a.md': 'A', 'docs/b.md': 'B', 'docs [1]/c.md': 'C' })
    git(clone(), 'tag', 'v1')
    writeFiles(clone(), { 'a.md': 'changed' })
    await check(clone(), 'v1-dirty', 1)
    await check(join(clone(), 'docs'), 'v1')
    await check(join(clone(), 'docs [1]'), 'v1')
    await check(join(clone(), 'docs', 'b.md'), 'v1')
    await check(join(clone(), 'a.md'), 'v1-dirty', 1)
  })

  test('reads the label of a linked working tree and of a submodule', async () => {
    commit(clone(), { 'a.md': 'A' })
    git(clone(), 'tag', 'v1')
    commit(clone(), { 'a.md': 'B' })
    git(clone(), 'tag', 'v2')
    const linked = join(temp().path, 'linked')
    git(clone(), 'worktree', 'add', '--quiet', linked, 'v1')
    await check(linked, 'v1')
    const outer = join(temp().path, 'outer')
    commit(outer, { 'x.md': 'X' })
    git(outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', '--quiet', clone(), 'sub')
    await check(join(outer, 'sub'), 'v2')
  })

  test('uses the commit in a shallow clone without tags', async () => {
    commit(clone(), { 'a.md': 'A' })
    const last = commit(clone(), { 'a.md': 'B' })
    const shallow = join(temp().path, 'shallow')
    git(
      temp().path,
      'clone',
      '--quiet',
      '--depth=1',
      '--no-tags',
      `file://${encodeURI(clone())}`,
      shallow,
    )
    await check(shallow, `g${last.slice(0, 7)}`)
  })

  test('reads the label with SHA-256 and a split index', async () => {
    mkdirSync(clone())
    git(clone(), 'init', '--quiet', '--object-format=sha256')
    commit(clone(), { 'a.md': 'A' })
    git(clone(), 'update-index', '--split-index')
    git(clone(), 'tag', 'v1')
    await check(clone(), 'v1')
  })
})

describe('the state of a working tree is unknown', () => {
  test('returns no state outside a repository, without a commit, or for a folder that is not in the commit', async () => {
    mkdirSync(join(clone(), 'docs'), { recursive: true })
    expect(await stateOf(clone())).toBe('no tree')
    git(clone(), 'init', '--quiet')
    expect(await stateOf(clone())).toBe(null)
    commit(clone(), { 'a.md': 'A' })
    expect(await stateOf(join(clone(), 'docs'))).toBe(null)
    expect(await isTracked(workTreeOf(join(clone(), 'docs'))!, {})).toBe(false)
    expect(await stateOf(join(clone(), '.git'))).toBe('no tree')
  })

  test('returns no state for a .git that points nowhere or is not a repository', async () => {
    writeFiles(clone(), { '.git': 'gitdir: /nowhere\n', 'a.md': 'A' })
    expect(await stateOf(clone())).toBe('no tree')
    const empty = join(temp().path, 'empty')
    mkdirSync(join(empty, '.git'), { recursive: true })
    expect(await stateOf(empty)).toBe('no tree')
  })

  test('returns no state if the tree of the commit is missing', async () => {
    commit(clone(), { 'a.md': 'A' })
    const tree = git(clone(), 'rev-parse', 'HEAD^{tree}')
    Bun.spawnSync(['rm', '-f', join(clone(), '.git/objects', tree.slice(0, 2), tree.slice(2))])
    expect(await stateOf(clone())).toBe(null)
  })
})

test('starts no program of a hostile repository, and writes nothing to it', async () => {
  commit(clone(), { 'a.md': 'A', 'sub/b.md': 'B', '.gitattributes': '* filter=evil diff=evil\n' })
  git(clone(), 'tag', 'v1')
  const mark = join(temp().path, 'started')
  const evil = join(temp().path, 'evil')
  writeFileSync(evil, `#!/bin/sh\necho "$0 $@" >> '${mark.replaceAll("'", "'\\''")}'\n`)
  chmodSync(evil, 0o755)
  const quoted = JSON.stringify(`'${evil.replaceAll("'", "'\\''")}'`)
  const config = join(clone(), '.git', 'config')
  writeFileSync(
    config,
    `${readFileSync(config, 'utf8')}
[core]
  fsmonitor = ${quoted}
  hooksPath = ${JSON.stringify(join(temp().path, 'hooks'))}
  sshCommand = ${quoted}
  pager = ${quoted}
  alternateRefsCommand = ${quoted}
[filter "evil"]
  clean = ${quoted}
  smudge = ${quoted}
  process = ${quoted}
  required = true
[diff "evil"]
  command = ${quoted}
  textconv = ${quoted}
[pager]
  describe = ${quoted}
  status = ${quoted}
[alias]
  status = ${JSON.stringify(`!${evil}`)}
[extensions]
  partialClone = origin
[remote "origin"]
  url = file:///nowhere
  uploadpack = ${quoted}
  promisor = true
`,
  )
  writeFiles(temp().path, { 'hooks/post-index-change': `#!/bin/sh\n${quoted}\n` })
  chmodSync(join(temp().path, 'hooks/post-index-change'), 0o755)
  // Changed file times make git compare the bytes, which would start the filter.
  writeFiles(clone(), { 'a.md': 'B' })
  const before = statSync(join(clone(), '.git', 'index')).mtimeMs
  await check(clone(), 'v1-dirty', 1)
  const blob = git(clone(), '-c', 'core.fsmonitor=false', 'rev-parse', 'HEAD:sub')
  Bun.spawnSync(['rm', '-f', join(clone(), '.git/objects', blob.slice(0, 2), blob.slice(2))])
  await stateOf(clone())
  expect(existsSync(mark)).toBe(false)
  expect(statSync(join(clone(), '.git', 'index')).mtimeMs).toBe(before)
  // git itself does start these programs.
  Bun.spawnSync(['git', 'status'], { cwd: clone() })
  expect(existsSync(mark)).toBe(true)
})

test('counts a repository as inside a folder only if its objects are there too', async () => {
  commit(clone(), { 'a.md': 'A' })
  const linked = join(temp().path, 'project', 'linked')
  git(clone(), 'worktree', 'add', '--quiet', linked)
  const isInside = (path: string, folder: string) => isRepositoryInside(workTreeOf(path)!, folder)
  expect(isInside(clone(), temp().path)).toBe(true)
  expect(isInside(clone(), clone())).toBe(true)
  expect(isInside(linked, join(temp().path, 'project'))).toBe(false)
  expect(isInside(linked, temp().path)).toBe(true)
})
