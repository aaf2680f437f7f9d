import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { rawPagesHint } from '../../../src/cli/answer/raw-pages-hint.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { writeFiles } from '../../support/repository.ts'
import { homePaths } from '../../support/run/home-paths.ts'

test('returns a hint if there are raw pages', async () => {
  await using temp = await createTempFolder('og-raw-hint')
  const config = await loadConfig({ HOME: temp.path })
  expect(await rawPagesHint(config)).toBe(null)
  const folder = join(temp.path, homePaths.rawPages)
  const page = { url: 'u:a', library_name: 'React', content: '# Hooks' }
  writeFiles(folder, { 'react/v1/a.json': JSON.stringify(page) })
  expect(await rawPagesHint(config)).toBe(`og import-raw indexes the raw pages in ${folder}`)
})
