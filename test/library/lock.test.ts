import { expect, test } from 'bun:test'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { isSameEntry, publishLive } from '../../src/library/lock.ts'
import { readEntries, type Entry } from '../../src/store/registry.ts'
import { writeGeneration } from '../support/store.ts'

const texts = { 'a.md': 'Kettles boil.' }

test('treats dated versions of a folder as one, and compares other versions by name', () => {
  const of = (version: string) => ({ key: 'kettle', version }) as Entry
  const check = (a: string, b: string, expected: boolean) =>
    expect(isSameEntry(of(a), { key: 'kettle', version: b })).toBe(expected)
  check('1.0', '1.0', true)
  check('1.0', '1.1', false)
  check('local-2026-11-21', 'local-2026-11-22', true)
  check('local-2026-11-21', '1.0', false)
  expect(isSameEntry(of('1.0'), { key: 'pot', version: '1.0' })).toBe(false)
})

test('keeps the spelling with which a library was first added', async () => {
  await using temp = await createTempFolder('og live ')
  await writeGeneration(temp.path, texts, { library: 'Kettle' })
  const [before] = await readEntries(temp.path)
  await publishLive(temp.path, { ...before!, library: 'KETTLE', version: '2' }, before!)
  expect((await readEntries(temp.path)).map(({ library }) => library)).toEqual(['Kettle', 'Kettle'])
})

test('does not publish if the live generation is not the one to be replaced', async () => {
  await using temp = await createTempFolder('og live ')
  await writeGeneration(temp.path, texts, { library: 'kettle' })
  const [before] = await readEntries(temp.path)
  const { live, version } = before!
  await expect(publishLive(temp.path, before!, { live, replaces: 'another' })).rejects.toThrow(
    `Cannot replace library "kettle" version "${version}": it was changed in the meantime`,
  )
  await publishLive(temp.path, before!, { live: { ...live, failed: 7 }, replaces: live.id })
  expect((await readEntries(temp.path))[0]!.live.failed).toBe(7)
})
