import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { resolveSource, sourcePages } from '../../src/source/pages.ts'
import { testWhere } from '../support/where.ts'

const corpora = process.env.OG_CORPORA ?? join(import.meta.dir, '../../../shared/corpora')
const bundle = join(corpora, 'fastapi.bundle')
const lack = existsSync(bundle) ? null : `no ${bundle}; OG_CORPORA names the folder of corpora`

/** Checks how many pages of FastAPI, which has five languages, are read for each. */
async function check(languages: string[], expected: Record<string, number>) {
  const source = { kind: 'git_repo', url: bundle, docsPaths: ['docs'], languages } as const
  const resolved = await resolveSource(
    { ...source, docsPaths: ['docs'] },
    { version: '0.141.1', today: new Date() },
  )
  const counts: Record<string, number> = {}
  for await (const event of sourcePages(resolved)) {
    if (event.type !== 'page') continue
    const language = event.page.path.split('/')[1]!
    counts[language] = (counts[language] ?? 0) + 1
  }
  expect(counts).toEqual(expected)
}

testWhere(lack)('reads the English pages of FastAPI, or the requested languages', async () => {
  await check([], { en: 155 })
  await check(['de'], { de: 124 })
  await check(['*'], { de: 124, en: 155, es: 124, fr: 124, ja: 124 })
})
