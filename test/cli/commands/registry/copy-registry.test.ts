import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findRegistry } from '../../../../src/cli/commands/library/copy.ts'
import { userPaths } from '../../../../src/config/paths.ts'
import { changeRegistries } from '../../../../src/library/registry/known-registries.ts'
import { createTempFolder } from '../../../../src/platform/file/files.ts'

test('finds a registry by its URL, or by its name if no folder has that name', async () => {
  await using temp = await createTempFolder('og-copy-registry')
  const folder = join(temp.path, 'folder')
  mkdirSync(folder)
  const known = ['team', folder].map((name, i) => ({
    name,
    url: `https://docs.example.org/${i}`,
    key: 'RW',
    serial: 0,
  }))
  await changeRegistries(userPaths({ HOME: temp.path }).lists(), () => known)
  const check = async (typed: string, url: string | null) =>
    expect((await findRegistry({ env: { HOME: temp.path } }, typed))?.url ?? null).toBe(url)
  await check('team', 'https://docs.example.org/0')
  await check('https://docs.example.org/1/', 'https://docs.example.org/1')
  await check(folder, null)
  await check('other', null)
  await check('s3://docs/og', null)
})
