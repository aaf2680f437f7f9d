import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newerPacks } from '../../../../src/cli/commands/library/update.ts'
import type { Context } from '../../../../src/cli/context.ts'
import { userPaths } from '../../../../src/config/paths.ts'
import { changeRegistries } from '../../../../src/library/registry/known-registries.ts'
import type { Og } from '../../../../src/open.ts'
import { createTempFolder } from '../../../../src/platform/file/files.ts'
import { indexOf } from '../../../support/pack/registry-index.ts'

test("adds the newest pack of the version under the registry's library name", async () => {
  await using temp = await createTempFolder('og-newer')
  const url = join(temp.path, 'packs')
  mkdirSync(url)
  writeFileSync(
    join(url, 'index.json'),
    JSON.stringify(
      indexOf(
        [
          { version: '1.0', path: 'a.ogpack' },
          { version: '1.0', path: 'b.ogpack', indexedAt: '2026-02-01T00:00:00Z' },
          { version: '1.1', path: 'c.ogpack', indexedAt: '2026-03-01T00:00:00Z' },
        ],
        { expires: '2100-01-01T00:00:00Z' },
      ),
    ),
  )
  await changeRegistries(userPaths({ HOME: temp.path }).lists(), () => [
    { name: 'packs', url, key: null, serial: 1 },
  ])
  const env = { HOME: temp.path, OG_DB_PATH: join(temp.path, 'store') }
  const store = { places: async () => ({ dbPath: env.OG_DB_PATH }), [Symbol.asyncDispose]() {} }
  const interruption = () => new AbortController().signal
  const context = { env, interruption, openOg: async () => store } as unknown as Context
  const added: object[] = []
  const og = { packs: { add: async (it: object) => void added.push(it) } } as unknown as Og
  const newer = newerPacks(context, og, { lockTimeoutMs: 7 })
  await newer({ library: 'torch', version: '1.0', place: join(url, 'a.ogpack') })
  expect(added).toEqual([
    { lockTimeoutMs: 7, path: join(url, 'b.ogpack'), sha256: 'a'.repeat(64), library: 'torch' },
  ])
  expect(await newer({ library: 'lamp', version: '2.0', place: join(url, 'x.ogpack') })).toBe(null)
  expect(await newer({ library: 'lamp', version: '1.0', place: '/other/a.ogpack' })).toBe(null)
})
