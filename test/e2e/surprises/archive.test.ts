/** Tests ZIP archives of other tools with dist/og. */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { createWorld } from '../../support/e2e.ts'

test('indexes a ZIP archive that has entries for folders', async () => {
  await using world = await createWorld()
  const path = join(world.folder, 'docs.zip')
  mkdirSync(world.folder, { recursive: true })
  const page = Buffer.from('# Boiling\n\nFill the kettle with water.\n')
  writeFileSync(path, zipSync({ 'r-1/': {}, 'r-1/docs/': {}, 'r-1/docs/boil.md': page }))
  const added = await world.json(['add', 'kettle', '-s', path, '-v', '1', '--json'])
  expect(added).toMatchObject({ pages: 1, failed: [] })
  const found = await world.json(['query', 'kettle', '-l', 'kettle', '--json'])
  expect(found.hits[0].url).toEndWith('docs.zip/docs/boil.md')
})
