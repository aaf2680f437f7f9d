import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRegistries } from '../../../src/library/registry/known-registries.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

test('reports an unreadable list', async () => {
  await using temp = await createTempFolder('og-registries')
  const path = join(temp.path, 'registries.json')
  for (const text of ['x', '{}', '{"registries":[{"name":1}]}']) {
    writeFileSync(path, text)
    await expect(readRegistries(temp.path)).rejects.toThrow(`Cannot read "${path}"`)
  }
})
