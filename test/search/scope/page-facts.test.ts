import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { pageFacts } from '../../../src/search/scope/page-facts.ts'
import { openLive, writeGeneration } from '../../support/store.ts'

async function factsOf(paths: string[]) {
  await using temp = await createTempFolder('og-facts')
  const texts = Object.fromEntries(paths.map((path) => [`x://${path}`, path]))
  await writeGeneration(temp.path, texts, { library: 'lib' })
  const [open] = await openLive(temp.path)
  using _open = open!
  const facts = await pageFacts(open!)
  expect(await pageFacts(open!)).toBe(facts)
  return facts
}

test('reads the language from the path, and the original page of a translation', async () => {
  async function check(path: string, language: string | null, original: string) {
    const facts = await factsOf([path])
    expect(facts.get(`x://${path}`)).toMatchObject({ path, language, original })
  }
  await check('docs/de/docs/index.md', 'de', 'docs/docs/index.md')
  await check('docs/pt_BR/index.md', 'pt-br', 'docs/index.md')
  await check('guide/intro.fr.md', 'fr', 'guide/intro.md')
  await check('README.zh-CN.md', 'zh-cn', 'README.md')
  await check('README.md', null, 'README.md')
  await check('a/b/c/d/es/search.md', null, 'a/b/c/d/es/search.md')
})

test('detects the kind of each page', async () => {
  const facts = await factsOf(['docs/api/index.md', 'docs/guide.md', 'CHANGELOG.md'])
  expect([...facts.values()].map(({ kind }) => kind)).toEqual(['reference', 'guide', 'changelog'])
})
