import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { memoryFiles } from '../../src/memory/memory-files.ts'
import {
  seeds,
  createWorkspace,
  type CustomFile,
  isFirstRun,
  openWorkspace,
} from '../../src/memory/workspace.ts'
import { createTempFolder, type TempFolder } from '../../src/platform/file/files.ts'

let temp: TempFolder
beforeEach(async () => {
  temp = await createTempFolder('og workspace')
})
afterEach(async () => temp[Symbol.asyncDispose]())

async function open(name = 'default', root = temp.path) {
  const workspace = await openWorkspace({ root, name })
  await createWorkspace(workspace)
  return workspace
}
const custom = (name: string): CustomFile => ({
  name,
  description: '',
  inject: true,
  maxChars: null,
  searchable: true,
  compactable: false,
})

test('a new workspace contains only the seeds', async () => {
  const { path } = await open()
  expect(readdirSync(path).sort()).toEqual(Object.keys(seeds).sort())
  expect(readFileSync(join(path, 'USER.md'), 'utf8')).toStartWith('# User Profile\n\n')
})

test('opening a missing workspace creates nothing and reads as a first run', async () => {
  const workspace = await openWorkspace({ root: join(temp.path, 'root'), name: 'default' })
  expect(workspace.path).toBe(join(temp.path, 'root', 'default'))
  expect(await isFirstRun(workspace)).toBe(true)
  expect(readdirSync(temp.path)).toEqual([])
})

test('reports a root that is a file', async () => {
  writeFileSync(join(temp.path, 'file'), '')
  const opening = openWorkspace({ root: join(temp.path, 'file'), name: 'default' })
  await expect(opening).rejects.toThrow(/^Cannot open memory "default" in .*file is not a folder$/)
  await expect(opening).rejects.toMatchObject({
    hint: expect.stringContaining('GROUNDMEMORY_ROOT_DIR'),
  })
})

test('does not change existing files', async () => {
  mkdirSync(join(temp.path, 'default'))
  writeFileSync(join(temp.path, 'default', 'MEMORY.md'), 'mine')
  const { path } = await open()
  expect(readFileSync(join(path, 'MEMORY.md'), 'utf8')).toBe('mine')
})

test('weakness 53: rejects a path as a workspace name', async () => {
  for (const name of ['../x', '..', '.', 'a/b', 'a\\b', '', ' ', 'con', 'x.', '.git', 'a\0b']) {
    await expect(open(name)).rejects.toThrow('Cannot use workspace name')
  }
  expect((await open('Größe 2.0_x-y')).name).toBe('Größe 2.0_x-y')
  expect(readdirSync(temp.path)).toEqual(['Größe 2.0_x-y'])
})

test('weakness 31: resolves a linked root', async () => {
  mkdirSync(join(temp.path, 'real'))
  symlinkSync(join(temp.path, 'real'), join(temp.path, 'link'))
  const { path } = await open('default', join(temp.path, 'link'))
  expect(path).toBe(join(temp.path, 'real', 'default'))
})

test('weakness 40: edited files or an empty FIRST_RUN.md end the first run', async () => {
  const first = await open('first')
  expect(await isFirstRun(first)).toBe(true)
  writeFileSync(join(first.path, 'USER.md'), `${seeds['USER.md']}\nName: Ann\n`)
  expect(await isFirstRun(first)).toBe(false)
  const second = await open('second')
  writeFileSync(join(second.path, 'FIRST_RUN.md'), ' \n')
  expect(await isFirstRun(second)).toBe(false)
})

test('lists memory files, days in order, custom files last', async () => {
  const workspace = await openWorkspace({
    root: temp.path,
    name: 'a',
    customFiles: [custom('projects.md')],
  })
  await createWorkspace(workspace)
  mkdirSync(join(workspace.path, 'daily'))
  for (const day of ['2026-01-02', '2026-01-01']) {
    writeFileSync(join(workspace.path, 'daily', `${day}.md`), 'x')
  }
  expect(await memoryFiles(workspace)).toEqual([
    'MEMORY.md',
    'USER.md',
    'AGENTS.md',
    'RELATIONS.md',
    'daily/2026-01-01.md',
    'daily/2026-01-02.md',
    'projects.md',
  ])
  expect(existsSync(join(workspace.path, 'projects.md'))).toBe(true)
})

test('rejects paths and tier names as custom files', async () => {
  for (const name of ['../x.md', 'a/b.md', 'MEMORY.md', 'memory.md', 'x.txt', '.x.md']) {
    const opening = openWorkspace({ root: temp.path, name: 'a', customFiles: [custom(name)] })
    await expect(opening).rejects.toThrow('Cannot use custom file')
  }
})

test('weakness 5: writes complete seeds even with concurrent openers', async () => {
  const opened = await Promise.all(Array.from({ length: 8 }, () => open()))
  const { path } = opened[0]!
  expect(readdirSync(path).sort()).toEqual(Object.keys(seeds).sort())
  for (const [name, text] of Object.entries(seeds)) {
    expect(readFileSync(join(path, name), 'utf8')).toBe(text)
  }
})
