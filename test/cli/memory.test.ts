import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listWorkspaces } from '../../src/cli/memory.ts'
import { memoryHome, withoutModel } from '../support/memory/memory-home.ts'

const { check, file, home, json, literal } = memoryHome()

test('memory read opens a hit of memory search by its printed line numbers', async () => {
  await check(
    ['write', 'Deploys', 'go out.', '-t', 'ops'],
    'Added entry ID to MEMORY.md (write WRITE).\n',
  )
  await check(['write', 'Deploys go out.'], 'MEMORY.md already holds this entry.\n')
  await check(['write', '-', '-f', 'daily'], /^Added entry .* to daily\/.*\.md/, {
    stdin: 'Two\nlines.\n',
  })
  const found = '1. MEMORY.md:6-9 (score=N, entry ID)\n   ## WHEN\n\n   #ops\n   Deploys go out.\n'
  await check(['search', 'deploy'], `Found 1 entry.\n${found}`)
  await check(['read', 'MEMORY.md', '--lines', '8-9'], '#ops\nDeploys go out.\n')
  await check(['read', 'MEMORY.md', '--lines', '90'], '', {
    code: 1,
    stderr: 'error: No lines 90: MEMORY.md has 9\n',
  })
  await check(['read', 'nowhere.md'], '', {
    code: 2,
    stderr: 'error: File not found: nowhere.md\n',
  })
})

test('filters a search by tier, file, tag and date, and continues with --offset', async () => {
  for (const words of [
    ['heron a', '-t', 'red'],
    ['heron b', '-t', 'blue'],
    ['heron c', '-f', 'daily'],
  ]) {
    await json(['write', ...words])
  }
  const count = async (...words: string[]) => (await json(['search', 'heron', ...words])).count
  expect(await count()).toBe(3)
  expect(await count('--tier', 'daily')).toBe(1)
  expect(await count('--tier', 'long_term')).toBe(2)
  expect(await count('-f', 'MEMORY.md', '--any-tag', 'red', '--any-tag', 'green')).toBe(1)
  expect(await count('-t', 'red', '--since', '2026-01-01', '--until', '2199-01-01')).toBe(1)
  expect((await json(['search', 'heron', '--since', '2199-01-01'], 1)).count).toBe(0)
  const first = await json(['search', 'heron', '-k', '2'])
  expect(first.next_offset).toBe(2)
  expect(await count('-k', '2', '--offset', '2')).toBe(1)
  expect(await count('--max-tokens', '5')).toBe(1)
  await check(['search', 'heron', '--since', 'May'], '', {
    code: 2,
    stderr: /'since' must be a date/,
  })
  await check(['search', 'heron', '--tier', 'x'], '', { code: 2, stderr: /one of long-term, user/ })
  await check(['search', 'heron', '--tier', 'user', '-f', 'x'], '', {
    code: 2,
    stderr: /give one of them/,
  })
  await check(['search', 'heron', '--mode', 'x'], '', {
    code: 2,
    stderr: /one of hybrid, full-text/,
  })
  await check(['search', 'a', '-f', 'x.md'], '', { code: 2, stderr: /Cannot search in 'x.md'/ })
  await check(['search', 'elephant'], 'Found 0 entries.\n', { code: 1 })
})

test('corrects, edits and deletes lines, and rejects invalid input', async () => {
  const { entry_id } = await json(['write', 'Deploys go out on Tuesdays.'])
  await json(['write', 'Deploys go out on Fridays.', '--corrects', entry_id])
  const { results } = await json(['search', 'deploys Tuesdays'])
  expect(results[0].text).toContain('Fridays')
  await json(['write', 'I am Ann.', '-f', 'USER.md'])
  await check(
    ['write', 'Bo', '-f', 'USER.md', '--search', 'Ann'],
    'Replaced text in USER.md (write WRITE).\n',
  )
  const n = file('USER.md').split('\n').length - 1
  const lines = ['-f', 'USER.md', '--lines', `${n}`]
  await check(['write', 'x', ...lines, '--expect', 'I am Ann.'], '', {
    code: 2,
    stderr: /differs from the exp/,
  })
  await check(['write', ...lines], '', { code: 2, stderr: /'content' is required/ })
  await check(['write', '', ...lines], `Deleted lines ${n}-${n} of USER.md (write WRITE).\n`)
  await check(['write', 'x', '--lines', '3-'], '', {
    code: 2,
    stderr: /give the first and the last line/,
  })
  await check(['write', 'x', '--lines', '3'], '', { code: 2, stderr: /append-only/ })
  await check(['write', ''], '', { code: 2, stderr: /CONTENT is empty/ })
})

test('announces a new memory only once', async () => {
  const stderr = async (...typed: string[]) =>
    literal((await home.run(['memory', ...typed], { env: withoutModel })).stderr)
  expect(await stderr('search', 'x', '-w', 'typo')).toStartWith(
    'error: There is no workspace "typo"',
  )
  expect(await stderr('write', '', '-w', 'typo')).not.toContain('New memory')
  expect(await stderr('write', 'x', '-w', 'typo')).toBe(
    'New memory: HOME/.local/share/og/memory/typo\n',
  )
  expect(await stderr('search', 'x', '-w', 'typo')).toBe('')
  expect(await stderr('list', '-w', '../typo')).toMatch(/^error: Cannot use workspace name/)
})

test('--root, --workspace and --env-file select the memory', async () => {
  const env = join(home.path, 'my.env')
  writeFileSync(env, 'GROUNDMEMORY_WORKSPACE=work\n')
  const root = join(home.path, 'notes')
  await check(['write', 'x', '--root', root, '--env-file', env], /^Added/)
  expect(existsSync(join(root, 'work', 'MEMORY.md'))).toBe(true)
  await check(['write', 'x', '--root', root, '-w', '../y'], '', {
    code: 2,
    stderr: /Cannot use workspace/,
  })
  await check(['write', 'x', '--env-file', '/nowhere'], '', {
    code: 2,
    stderr: /there is no such file/,
  })
})

test('lists the folders that contain a MEMORY.md by name', async () => {
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
  expect(await listWorkspaces(root.path)).toEqual([
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

test('returns an empty list if the root is missing', async () => {
  expect(await listWorkspaces('/nowhere/at/all')).toEqual([])
})

test('--scope project writes into a memory of the repository and says so', async () => {
  const repository = join(home.path, 'app')
  mkdirSync(join(repository, '.git'), { recursive: true })
  const scope = { GROUNDMEMORY_SCOPE: 'project' }
  const cwd = process.cwd()
  process.chdir(repository)
  try {
    const said = /^Memory of the project .*app: workspace app-[0-9a-f]{8}\n/
    await check(['write', 'A heron'], /^Added/, { env: scope, stderr: said })
    await check(['search', 'heron'], /^Found 1/, { env: scope, stderr: said })
    await check(['search', 'heron', '--scope', 'user'], /^Found 0/, { env: scope, code: 1 })
    await check(['list', '--workspaces'], /^app-[0-9a-f]{8}\n$/)
  } finally {
    process.chdir(cwd)
  }
})
