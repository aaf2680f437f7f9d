import { beforeEach, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  resolveExistingFile,
  fileForName,
  isAppendOnly,
  resolveMemoryFile,
} from '../../../src/memory/write/memory-file.ts'
import type { OgError } from '../../../src/platform/error.ts'
import { createWorkspace, openWorkspace, type Workspace } from '../../../src/memory/workspace.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og place'))
const workspace = openEach(() => openWorkspace({ root: temp().path, name: 'default' }))
beforeEach(() => createWorkspace(workspace()))

/** Expects this file or this error message for a name. */
function check(name: string, expected: string, known: Partial<Workspace> = {}) {
  let found: string
  try {
    found = resolveMemoryFile({ ...workspace(), ...known }, name).file
  } catch (error) {
    found = (error as Error).message
  }
  expect(found).toBe(expected)
}

test('keeps paths inside the workspace', () => {
  check('MEMORY.md', 'MEMORY.md')
  check('./daily/../USER.md', 'USER.md')
  check('notes/a.md', 'notes/a.md')
  check('../x', "Access denied: '../x' resolves outside the workspace.")
  check('a/../../default2/x', "Access denied: 'a/../../default2/x' resolves outside the workspace.")
  const absolute = (name: string) =>
    check(name, `Access denied: absolute paths are not allowed (got '${name}').`)
  absolute('/etc/passwd')
  absolute('C:\\x')
  absolute('c:x')
  check('a\0b', 'embedded null byte')
})

test('rejects links that lead outside, also as a parent folder', () => {
  symlinkSync(temp().path, join(workspace().path, 'out'))
  check('out/x.md', "Access denied: 'out/x.md' resolves outside the workspace.")
})

test('weakness 52: does not treat index, journal and backups as memory files', () => {
  for (const name of ['.index/memory.db', '.og/journal', 'backups/a.zip', 'a/.hidden/b.md']) {
    check(name, `Access denied: '${name}' is not a memory file.`)
  }
  check('BACKUPS/a.zip', "Access denied: 'BACKUPS/a.zip' is not a memory file.", {
    ignoresCase: true,
  })
})

test('weakness 51: decides by the resolved path whether a file is append-only', () => {
  mkdirSync(join(workspace().path, 'daily', 'x'), { recursive: true })
  writeFileSync(join(workspace().path, 'daily', '2026-01-01.md'), 'x')
  symlinkSync('MEMORY.md', join(workspace().path, 'alias.md'))
  const grows = (name: string, known: Partial<Workspace> = {}) =>
    isAppendOnly(resolveMemoryFile({ ...workspace(), ...known }, name))
  expect(grows('daily/x/../2026-01-01.md')).toBe(true)
  expect(grows('alias.md')).toBe(true)
  expect(grows('USER.md')).toBe(false)
  expect(grows('memory.md', { ignoresCase: true })).toBe(true)
  expect(grows('DAILY/2026-01-01.md', { ignoresCase: true })).toBe(true)
  expect(grows('memory.md')).toBe(false)
})

test('weakness 51: treats a linked tier as that tier under both names', () => {
  mkdirSync(join(workspace().path, 'notes', 'log'), { recursive: true })
  renameSync(join(workspace().path, 'MEMORY.md'), join(workspace().path, 'notes', 'm.md'))
  symlinkSync('notes/m.md', join(workspace().path, 'MEMORY.md'))
  symlinkSync('notes/log', join(workspace().path, 'daily'))
  check('MEMORY.md', 'MEMORY.md')
  check('notes/m.md', 'MEMORY.md')
  check('daily/2026-01-01.md', 'daily/2026-01-01.md')
  check('notes/log/2026-01-01.md', 'daily/2026-01-01.md')
  check('notes/other.md', 'notes/other.md')
})

test('suggests a similar file name', () => {
  const error = (name: string) => {
    try {
      return resolveExistingFile(workspace(), name)
    } catch (thrown) {
      return (thrown as OgError).hint
    }
  }
  expect(error('memories.md')).toBe('did you mean "MEMORY.md"?')
  expect(error('users.md')).toBe('did you mean "USER.md"?')
  expect(error('entirely-else.md')).toBeUndefined()
})

test('weakness 56: messages contain no absolute path', () => {
  mkdirSync(join(workspace().path, 'daily'))
  expect(() => resolveExistingFile(workspace(), 'daily/')).toThrow(
    "'daily/' is a folder, not a file.",
  )
  expect(() => resolveExistingFile(workspace(), 'no.md')).toThrow('File not found: no.md')
  execFileSync('mkfifo', [join(workspace().path, 'pipe.md')])
  expect(() => resolveExistingFile(workspace(), 'pipe.md')).toThrow(
    "'pipe.md' is a device, not a file.",
  )
  symlinkSync('loop', join(workspace().path, 'loop'))
  expect(() => resolveExistingFile(workspace(), 'loop')).toThrow(/^Access denied: E\w+$/)
})

test('treats daily as the log of today', () => {
  expect(fileForName('Daily', new Date(2026, 0, 5))).toBe('daily/2026-01-05.md')
  expect(fileForName('USER.md', new Date())).toBe('USER.md')
})
