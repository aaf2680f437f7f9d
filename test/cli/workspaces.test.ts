import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workspacesOf } from '../../src/cli/workspaces.ts'

test('lists folders with a MEMORY.md by name', async () => {
  using root = mkdtempDisposableSync(join(tmpdir(), 'og-root-'))
  for (const name of [
    'work',
    'f',
    'q',
    'c',
    'm',
    'Default',
    'a b',
    't',
    'no-memory',
    '.hidden',
    'sub/deep',
  ]) {
    mkdirSync(join(root.path, name), { recursive: true })
    if (name !== 'no-memory') writeFileSync(join(root.path, name, 'MEMORY.md'), '')
  }
  writeFileSync(join(root.path, 'MEMORY.md'), '')
  symlinkSync(join(root.path, 'work'), join(root.path, 'linked'))
  symlinkSync(join(root.path, 'nowhere'), join(root.path, 'dangling'))
  expect(await workspacesOf(root.path)).toEqual([
    'Default',
    'a b',
    'c',
    'f',
    'linked',
    'm',
    'q',
    't',
    'work',
  ])
})

test('returns none for a missing root', async () => {
  expect(await workspacesOf('/nowhere/at/all')).toEqual([])
})
