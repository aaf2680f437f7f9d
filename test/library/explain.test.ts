import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { explainStanding } from '../../src/library/explain.ts'
import { createTempFolder, type TempFolder } from '../../src/platform/files.ts'
import { writeFiles } from '../support/repository.ts'
import { openTestStore, type TestStore } from '../support/test-store.ts'

let temp: TempFolder
let store: TestStore
beforeAll(async () => {
  temp = await createTempFolder('og-standing')
  const docs = join(temp.path, 'docs')
  store = openTestStore(join(temp.path, 'store'))
  writeFiles(docs, {
    'lamp.md': '# Lamp\n\nThe wick of the lamp is trimmed.\n',
    'boiler.md': '# Boiler\n\nIt has no wick.\n',
  })
  await store.add('tools', docs, { version: '1' })
  writeFiles(docs, { 'new.md': '# New\n\nOnly in two.\n' })
  await store.add('tools', docs, { version: '2' })
})
afterAll(async () => {
  store[Symbol.dispose]()
  await temp[Symbol.asyncDispose]()
})

const explain = (query: string, url: string, version: string | null = null) =>
  explainStanding(store.opened, store.entries, { query, url, library: 'tools', version })

test('a page stands behind another, and lacks words that the other has', async () => {
  const standing = await explain('lamp wick', 'doc:/boiler.md')
  expect(standing).toMatchObject({ library: 'tools', version: '2', place: 2 })
  expect(standing.first).toMatchObject({ url: 'doc:/lamp.md', missing: [] })
  expect(standing.best).toMatchObject({ url: 'doc:/boiler.md', startLine: 1, missing: ['lamp'] })
})

test('a page is looked for in the version that is asked', async () => {
  expect((await explain('two', 'doc:/new.md')).place).toBe(1)
  await expect(explain('two', 'doc:/new.md', '1')).rejects.toThrow(
    'No page has the address "doc:/new.md" in tools 1',
  )
})
