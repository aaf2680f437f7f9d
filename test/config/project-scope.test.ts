import { expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProject } from '../../src/config/memory.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'

/** Runs `check` in a new folder with an empty `home` and a repository `home/app` with one commit. */
async function inFolder(check: (folder: string) => void) {
  await using temp = await createTempFolder('og project scope')
  const folder = realpathSync(temp.path)
  mkdirSync(join(folder, 'home/app/src'), { recursive: true })
  git(join(folder, 'home/app'), 'init', '--quiet')
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@b']
  git(join(folder, 'home/app'), ...author, 'commit', '--quiet', '--allow-empty', '-m', 'first')
  check(folder)
}

function git(folder: string, ...args: string[]) {
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
}

test('finds the repository of a folder, and none outside of one', () =>
  inFolder((folder) => {
    const home = join(folder, 'home')
    const found = findProject(join(home, 'app/src'), home)
    expect(found?.folder).toBe(join(home, 'app'))
    expect(found?.workspace).toMatch(/^app-[0-9a-f]{8}$/)
    expect(findProject(join(home, 'app'), home)).toEqual(found)
    expect(findProject(home, home)).toBeNull()
    expect(findProject(folder, home)).toBeNull()
  }))

test('shares the workspace of a repository with its worktrees', () =>
  inFolder((folder) => {
    const home = join(folder, 'home')
    git(join(home, 'app'), 'worktree', 'add', '--quiet', join(folder, 'other'))
    expect(findProject(join(folder, 'other'), home)).toEqual(findProject(join(home, 'app'), home))
    git(folder, 'clone', '--quiet', '--bare', join(home, 'app'), join(folder, 'app.git'))
    git(join(folder, 'app.git'), 'worktree', 'add', '--quiet', join(folder, 'third'))
    expect(findProject(join(folder, 'third'), home)?.folder).toBe(join(folder, 'app.git'))
  }))

test('a downloaded folder cannot choose the workspace of another repository', () =>
  inFolder((folder) => {
    const home = join(folder, 'home')
    git(join(home, 'app'), 'worktree', 'add', '--quiet', join(folder, 'other'))
    const fake = join(folder, 'fake')
    const state = join(fake, 'state/worktrees/fake')
    mkdirSync(state, { recursive: true })
    writeFileSync(join(fake, '.git'), `gitdir: ${join(home, 'app/.git/worktrees/other')}\n`)
    expect(findProject(fake, home)?.folder).toBe(fake)
    writeFileSync(join(fake, '.git'), `gitdir: ${state}\n`)
    writeFileSync(join(state, 'gitdir'), join(fake, '.git'))
    writeFileSync(join(state, 'commondir'), join(home, 'app/.git'))
    expect(findProject(fake, home)?.folder).toBe(fake)
  }))

test('does not take the home folder or a folder above it for a project', () =>
  inFolder((folder) => {
    git(folder, 'init', '--quiet')
    git(join(folder, 'home'), 'init', '--quiet')
    const home = join(folder, 'home')
    mkdirSync(join(home, 'notes'))
    mkdirSync(join(folder, 'beside'))
    expect(findProject(join(home, 'notes'), home)).toBeNull()
    expect(findProject(join(folder, 'beside'), home)).toBeNull()
  }))

test('makes a workspace name of any folder name', () =>
  inFolder((folder) => {
    for (const [name, start] of [
      ['.my notes!', 'my-notes--'],
      ['…', 'project-'],
      [`x${'ü'.repeat(80)}`, `x${'ü'.repeat(59)}-`],
    ] as const) {
      mkdirSync(join(folder, name))
      git(join(folder, name), 'init', '--quiet')
      expect(findProject(join(folder, name), '/home')?.workspace).toStartWith(start)
    }
  }))
