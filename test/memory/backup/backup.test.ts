import { expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { append } from '../../../src/memory/write/append.ts'
import { unpackArchive, backUpWorkspace, verifyBackup } from '../../../src/memory/backup/backup.ts'
import { findBackups, listBackups } from '../../../src/memory/backup/backup-list.ts'
import { restore } from '../../../src/memory/backup/export-import.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { startScript } from '../../support/child.ts'
import { openTestMemory, outcome } from '../../support/memory/memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og backup'))
const memory = openEach(() => openTestMemory(temp().path))

const names = async () => (await listBackups(memory().workspace)).map(({ name }) => name)
const at = (name: string) => {
  const path = join(memory().workspace.path, 'backups', `${name}.zip`)
  return { name, path }
}
const putZip = (name: string, files: Record<string, string>) => {
  mkdirSync(join(memory().workspace.path, 'backups'), { recursive: true })
  const bytes = Object.entries(files).map(([file, text]) => [file, Buffer.from(text)])
  writeFileSync(at(name).path, zipSync(Object.fromEntries(bytes)))
}

test('a backup contains only the Markdown files', async () => {
  await memory().put('daily/2026-01-01.md', 'day ü')
  await memory().put('own.md', 'own')
  await memory().put('notes/x.md', 'elsewhere')
  await memory().put('.index/memory.db', 'derived')
  const { name, path, files } = await backUpWorkspace(memory())
  expect(name).toBe('2026-03-20_100530')
  const held = await unpackArchive(readFileSync(path), name)
  expect([...held.keys()]).toEqual([
    'AGENTS.md',
    'FIRST_RUN.md',
    'MEMORY.md',
    'RELATIONS.md',
    'USER.md',
    'own.md',
    'daily/2026-01-01.md',
  ])
  expect(files).toBe(7)
  expect(held.get('daily/2026-01-01.md')!.toString()).toBe('day ü')
})

test('weakness 7: numbers backups of the same second, and skips unchanged ones on request', async () => {
  await backUpWorkspace(memory())
  await backUpWorkspace(memory())
  expect(await names()).toEqual(['2026-03-20_100530-2', '2026-03-20_100530'])
  expect(await backUpWorkspace(memory(), { skipUnchanged: true })).toMatchObject({
    name: '2026-03-20_100530-2',
    unchanged: true,
  })
  await memory().put('USER.md', 'new')
  await backUpWorkspace(memory(), { skipUnchanged: true, keep: 2 })
  expect(await names()).toEqual(['2026-03-20_100530-3', '2026-03-20_100530-2'])
})

test('keeps the new backup and the earlier ones if the clock once ran ahead', async () => {
  for (const day of [1, 2, 3]) putZip(`2099-01-0${day}_000000`, {})
  for (const time of ['090000', '100000']) putZip(`2026-03-20_${time}`, {})
  await backUpWorkspace(memory(), { keep: 2 })
  expect(await names()).toEqual([
    '2099-01-03_000000',
    '2099-01-02_000000',
    '2026-03-20_100530',
    '2026-03-20_100000',
  ])
})

test('keeps earlier backups while the clock shows 1970', async () => {
  for (const time of ['090000', '100000']) putZip(`2026-03-20_${time}`, {})
  for (const second of [1, 2, 3]) {
    memory().now = new Date(1970, 0, 1, 0, 0, second)
    await backUpWorkspace(memory(), { keep: 2 })
  }
  expect(await names()).toEqual([
    '2026-03-20_100000',
    '2026-03-20_090000',
    '1970-01-01_000003',
    '1970-01-01_000002',
  ])
})

test('rejects a backup with a file name that is too long, and changes nothing', async () => {
  const text = memory().text('MEMORY.md')
  putZip('long', { [`${'x'.repeat(300)}.md`]: 'x', 'MEMORY.md': 'new' })
  expect(await outcome(restore(memory(), at('long')))).toBe(
    `Cannot write "${'x'.repeat(40)}…": its name has 303 bytes, the limit is 200`,
  )
  expect(memory().text('MEMORY.md')).toBe(text)
  expect(existsSync(join(memory().workspace.path, '.og', 'restore'))).toBe(false)
})

test('finds backups by position, name or prefix', async () => {
  for (const name of ['2026-01-01_000000', '2026-01-01_000001', '2026-02-01_000000'])
    putZip(name, {})
  const found = async (spec: string) =>
    (await findBackups(memory().workspace, spec)).map(({ name }) => name)
  expect(await found('-1')).toEqual(['2026-02-01_000000'])
  expect(await found('-3')).toEqual(['2026-01-01_000000'])
  expect(await found('-4')).toEqual([])
  expect(await found('-0')).toEqual([])
  expect(await found('2026-01-01_000001')).toEqual(['2026-01-01_000001'])
  expect(await found('2026-01-01')).toHaveLength(2)
  expect(await found('2026-0')).toHaveLength(3)
  expect(await found('x')).toEqual([])
  expect(await found('')).toEqual([])
})

test('weakness 3: a restore equals the backup, and the replaced files are backed up', async () => {
  await append(memory(), { file: 'MEMORY.md', content: 'walrus' })
  await memory().put('daily/2026-01-01.md', 'old day')
  chmodSync(join(memory().workspace.path, 'USER.md'), 0o600)
  const then = memory().text('MEMORY.md')
  const first = await backUpWorkspace(memory())
  await append(memory(), { file: 'MEMORY.md', content: 'ostrich' })
  await memory().put('later.md', 'later')
  await memory().put('daily/2026-01-02.md', 'later day')
  rmSync(join(memory().workspace.path, 'daily/2026-01-01.md'))
  const { backup: present } = await restore(memory(), first)
  expect(memory().text('MEMORY.md')).toBe(then)
  expect(memory().text('daily/2026-01-01.md')).toBe('old day')
  expect(existsSync(join(memory().workspace.path, 'later.md'))).toBe(false)
  expect(existsSync(join(memory().workspace.path, 'daily/2026-01-02.md'))).toBe(false)
  expect(statSync(join(memory().workspace.path, 'USER.md')).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(memory().workspace.path, '.og')).sort()).toEqual(['journal', 'lock'])
  await restore(memory(), at(present))
  expect(memory().text('MEMORY.md')).toContain('ostrich')
  expect(memory().text('later.md')).toBe('later')
})

test("weakness 1 and 2: restores upstream's archives without their index", async () => {
  putZip('2025-01-01_000000', { 'MEMORY.md': 'theirs', '.index/memory.db': 'x', 'daily/a.md': 'd' })
  await restore(memory(), at('2025-01-01_000000'))
  expect(memory().text('MEMORY.md')).toBe('theirs')
  expect(memory().text('daily/a.md')).toBe('d')
  expect(existsSync(join(memory().workspace.path, '.index'))).toBe(false)
})

test('a damaged or hostile archive changes nothing', async () => {
  const text = memory().text('MEMORY.md')
  const { name, path } = await backUpWorkspace(memory())
  const whole = readFileSync(path)
  const check = async (bytes: Buffer, why: string) => {
    writeFileSync(path, bytes)
    expect(await outcome(verifyBackup({ name, path }))).toBe(`Cannot read backup "${name}": ${why}`)
    expect(await outcome(restore(memory(), { name, path }))).toContain(why)
    expect(memory().text('MEMORY.md')).toBe(text)
  }
  await check(whole.subarray(0, 100), 'it is not a ZIP archive, or is cut off')
  const flipped = Buffer.from(whole)
  flipped[60] = flipped[60]! ^ 0xff
  await check(flipped, '"AGENTS.md" is damaged: it differs from the directory of the archive')
  const linked = Buffer.from(whole)
  const entry = linked.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]))
  linked[entry + 5] = 3
  linked.writeUInt32LE(0o120777 * 2 ** 16, entry + 38)
  await check(linked, '"AGENTS.md" is a link')
  putZip('evil', { '../out.md': 'x', '/abs.md': 'x', 'daily/../../out.md': 'x', 'a/b.md': 'x' })
  expect(await outcome(restore(memory(), at('evil')))).toBe(
    'Cannot restore backup "evil": it contains no memory files',
  )
  expect(existsSync(join(temp().path, 'out.md'))).toBe(false)
  expect(await outcome(restore(memory(), at('none')))).toBe(
    'Cannot read backup "none": no such file or directory',
  )
})

test('creates a new backup even if the newest one is damaged', async () => {
  putZip('2099-01-01_000000', {})
  writeFileSync(at('2099-01-01_000000').path, 'junk')
  expect((await backUpWorkspace(memory(), { skipUnchanged: true })).unchanged).toBe(undefined)
})

test('kill -9 during a restore leaves the old files or the new ones', async () => {
  for (const side of ['old', 'new']) {
    for (let i = 0; i < 40; i++) await memory().put(`daily/f${i}.md`, `${side} ${i}`)
    await memory().put('MEMORY.md', side)
    memory().now = new Date(2026, 2, 20, 10, 5, side === 'old' ? 1 : 2)
    await backUpWorkspace(memory())
  }
  const seen = new Set<string>()
  for (let round = 0; round < 12; round++) {
    const wanted = round % 2 === 0 ? '2026-03-20_100501' : '2026-03-20_100502'
    await using script = startScript('memory-restorer.ts', [temp().path, wanted])
    await script.line()
    if (round % 4 > 1) await script.line()
    else await Bun.sleep(round * 8)
    await script.kill()
    const next = await openTestMemory(temp().path)
    await append(next, { file: 'USER.md', content: `round ${round}` })
    const side = next.text('MEMORY.md')
    const sides = Array.from({ length: 40 }, (_, i) => next.text(`daily/f${i}.md`).split(' ')[0])
    expect([...new Set(sides)]).toEqual([side])
    seen.add(side)
  }
  expect(seen.size).toBe(2)
})
