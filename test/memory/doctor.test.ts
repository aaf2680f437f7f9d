import { expect, test } from 'bun:test'
import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { examineMemory, repairIndex } from '../../src/memory/doctor.ts'
import { entries, openTestMemory } from '../support/memory/memory-search.ts'

const files = { 'MEMORY.md': entries(['2026-01-01 10:00', 'the heron stands in the reeds']) }

type Opened = Awaited<ReturnType<typeof openTestMemory>>

/** Expects these failed checks after `harm`. */
async function check(harm: (memory: Opened) => unknown, expected: string[], repair = false) {
  await using memory = await openTestMemory(files)
  await memory.search.sync()
  await harm(memory)
  if (repair) await repairIndex(memory)
  const checks = await examineMemory(memory)
  const failed = checks.filter(({ ok }) => !ok)
  const said = failed.map(({ name, detail }) => `${name}: ${detail}`)
  expect(said.map((line) => line.replaceAll(memory.workspace.path, 'DIR'))).toEqual(expected)
}

test('reports nothing for a healthy memory', () => check(() => {}, []))

test('reports rows that differ from the files, and repair fixes them', async () => {
  const harm = ({ search }: Opened) => search.index.database.run(`UPDATE chunks SET end_line = 9`)
  await check(harm, ['index: 2 rows differ from the files'])
  await check(harm, [], true)
})

test('reports problems that a person must fix', async () => {
  await check(
    ({ workspace }) => chmodSync(workspace.path, 0o777),
    ['folder: DIR can be written by every user of this machine'],
  )
  await check(
    ({ put }) => put('backups/2026-01-01_100000.zip', 'cut'),
    ['backups: Cannot read backup "2026-01-01_100000": it is not a ZIP archive, or is cut off'],
  )
  await check(
    ({ workspace }) => symlinkSync('/etc/hostname', join(workspace.path, 'host.md')),
    ['files: host.md is not read: it is not a file in the workspace'],
  )
  await check(
    ({ put }) => put('RELATIONS.md', '# R\n- [a] --b--> [c]\n- [a] --b-c--> [d]\n'),
    ['relations: 1 relations, 0 past; not read: RELATIONS.md line 3'],
  )
})
