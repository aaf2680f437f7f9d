import { expect, test } from 'bun:test'
import { appendFileSync, cpSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { copyWithExternalIndex } from '../../../src/store/chunks/external-index.ts'
import { writeManifest } from '../../../src/store/integrity/manifest.ts'
import { writeFiles } from '../../support/repository.ts'

test('rejects a table that is not a copy of the live one before writing anything', async () => {
  await using temp = await createTempFolder('og elsewhere')
  const [live, table, into] = ['live', 'chunks.lance', 'into'].map((it) => join(temp.path, it))
  const names = ['_versions/1.manifest', '_transactions/1.txn', '_indices/a/part', 'data/1.lance']
  writeFiles(live!, Object.fromEntries(names.map((name) => [`chunks.lance/${name}`, name])))
  await writeManifest(live!)
  cpSync(join(live!, 'chunks.lance'), table!, { recursive: true })
  const refusal = () =>
    copyWithExternalIndex({ live: live!, table: table!, into: into! }, async () => {
      throw new Error('all is copied')
    }).then(
      () => '',
      (error) => error.message,
    )
  expect(await refusal()).toBe('all is copied')
  rmSync(into!, { recursive: true })
  const start = `Cannot use the vector index of "${table}": `
  symlinkSync('/etc/passwd', join(table!, '_indices', 'link'))
  expect(await refusal()).toBe(`${start}_indices/link is no file; nothing was changed`)
  rmSync(join(table!, '_indices', 'link'))
  appendFileSync(join(table!, '_versions', '1.manifest'), 'x')
  expect(await refusal()).toContain('_versions/1.manifest is not that of the live table')
  rmSync(join(table!, '_versions', '1.manifest'))
  expect(await refusal()).toContain('_versions/1.manifest is not that of the live table')
  rmSync(table!, { recursive: true })
  expect(await refusal()).toContain('no such file or directory')
  expect(await Bun.file(join(into!, 'chunks.lance/data/1.lance')).exists()).toBe(false)
})
