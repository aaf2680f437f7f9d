import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createTempFolder,
  lockTempFolder,
  sweepTempFolders,
} from '../../../src/platform/file/files.ts'
import { until } from '../../support/until.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-sweep'))

/** A process that creates a temporary folder here and waits. */
async function holder() {
  const modules = join(import.meta.dir, '../../../src/platform')
  const script = `
    import { createTempFolder } from '${modules}/file/files.ts'
    const folder = await createTempFolder('og-lance')
    await Bun.write(folder.path + '/spill/a', 'x')
    console.log('made')
    await Bun.sleep(60_000)`
  const env = { ...process.env, TMPDIR: temp().path }
  const child = Bun.spawn([process.execPath, '-e', script], { env, stdout: 'pipe' })
  await child.stdout.getReader().read()
  return child
}

const left = () => readdirSync(temp().path).sort()

test('deletes folders of killed runs, and keeps those in use', async () => {
  const children = await Promise.all([holder(), holder(), holder()])
  const [one, two, three] = children
  expect(left()).toHaveLength(3)
  for (const child of [one!, two!]) {
    child.kill('SIGKILL')
    await child.exited
  }
  await sweepTempFolders(temp().path)
  expect(left()).toHaveLength(1)
  three!.kill('SIGKILL')
  await three!.exited
  await sweepTempFolders(temp().path)
  expect(left()).toEqual([])
})

test('the next run that creates a folder deletes old ones, and its own when it ends', async () => {
  const killed = await holder()
  killed.kill('SIGKILL')
  await killed.exited
  const next = await holder()
  await until('the old folder is deleted', () => left().length === 1)
  next.kill('SIGTERM')
  await next.exited
  expect(left()).toEqual([])
})

test('keeps folders that may belong to others', async () => {
  const folder = (name: string) => {
    mkdirSync(join(temp().path, name))
    return join(temp().path, name)
  }
  writeFileSync(join(folder('another-abcdef'), 'lock'), '')
  writeFileSync(join(folder('og-65534'), 'lock'), '')
  folder('og-lance-nolock')
  folder('og-new-abcdef')
  const elsewhere = folder('elsewhere')
  writeFileSync(join(elsewhere, 'lock'), '')
  symlinkSync(elsewhere, join(temp().path, 'og-lance-linked'))
  const used = folder('og-lance-in_use')
  using _lock = lockTempFolder(used)
  const before = left()
  await sweepTempFolders(temp().path)
  expect(left()).toEqual(before)
  const old = new Date(Date.now() - 7_200_000)
  utimesSync(join(temp().path, 'og-new-abcdef'), old, old)
  await sweepTempFolders(temp().path)
  expect(left()).toEqual(before.filter((name) => name !== 'og-new-abcdef'))
})
