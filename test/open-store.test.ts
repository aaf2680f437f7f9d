import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../src/config/config.ts'
import { loadConfig } from '../src/config/load.ts'
import { openPatient, openStore } from '../src/open-store.ts'
import { createTempFolder } from '../src/platform/file/files.ts'
import type { Natives } from '../src/platform/native/load.ts'

const warn = (line: string) => {
  throw new Error(line)
}

test('loads the natives once and creates nothing in the store', async () => {
  await using temp = await createTempFolder('og open-store')
  await using stack = new AsyncDisposableStack()
  const config = await loadConfig({ HOME: temp.path })
  const natives: Natives[] = []
  const onNatives = (some: Natives) => void natives.push(some)
  const { context, entries } = await openStore(config, { warn, onNatives }, stack)
  using picked = await entries((all) => all)
  expect([picked.length, natives.length]).toEqual([0, 1])
  expect(context.folder).toBe(config.dbPath)
  expect(existsSync(config.dbPath)).toBe(false)
})

test('the trial of the doctor never contacts an endpoint', async () => {
  await using temp = await createTempFolder('og open-store')
  const config = await loadConfig({ HOME: temp.path })
  const embeddings = { ...config.embeddings, backend: 'openai' as const }
  const trials: Config[] = []
  const patient = openPatient({ ...config, embeddings }, warn, (trial) => {
    trials.push(trial)
    throw new Error('not opened')
  })
  expect(() => patient.openAt(join(temp.path, 'trial'))).toThrow('not opened')
  expect(trials.map(({ dbPath, embeddings }) => [dbPath, embeddings.backend])).toEqual([
    [join(temp.path, 'trial'), 'none'],
  ])
})
