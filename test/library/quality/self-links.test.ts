import { expect, test } from 'bun:test'
import { selfQuestions } from '../../../src/library/quality/self-questions.ts'
import { pageRow } from '../../support/store.ts'

/**
 * Checks which section a link with this target on the page guide/start.md leads to; null means
 * none.
 */
async function check(target: string, expected: string | null) {
  const rows = [
    pageRow('doc://guide/start.md', `- [the cold start](${target})\n`),
    pageRow(
      'doc://guide/boiler.md',
      '# B\n\nx\n\n## Lighting it, slowly\n\ny\n\n## Named {#own}\n\nz\n',
    ),
    pageRow('doc://index.md', 'x\n'),
    pageRow('doc://ref/index.md', 'x\ny\n'),
  ]
  async function* pages() {
    yield rows
  }
  const found = (await selfQuestions(pages(), { limit: 100 })).filter(({ kind }) => kind === 'link')
  const places = found.map(
    ({ question, url, startLine, endLine }) =>
      `${question} → ${url.replace('doc://', '')} ${startLine}-${endLine}`,
  )
  expect(places).toEqual(expected === null ? [] : [`the cold start → ${expected}`])
}

test('links lead to pages by relative or absolute path, with or without an extension', async () => {
  await check('boiler.md', 'guide/boiler.md 1-11')
  await check('./boiler', 'guide/boiler.md 1-11')
  await check('/guide/boiler.html', 'guide/boiler.md 1-11')
  await check('../ref/', 'ref/index.md 1-2')
  await check('doc://guide/boiler.md', 'guide/boiler.md 1-11')
})

test('links lead to sections by an explicit or a generated anchor', async () => {
  await check('boiler.md#lighting-it-slowly', 'guide/boiler.md 5-8')
  await check('boiler.md#own', 'guide/boiler.md 9-11')
  await check('boiler.md#nowhere', null)
})

test('ignores links to pages outside the library', async () => {
  await check('https://example.org/guide/boiler', null)
  await check('//example.org/x', null)
  await check('missing.md', null)
  await check('%zz/%E0%A4%A', null)
})
