import { expect, test } from 'bun:test'
import { vocs } from '../../../../src/page/generator/vocs/vocs.ts'
import { siteOf, sitePage, siteText, type SiteSource } from '../../../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'vocs',
  config: 'site/vocs.config.ts',
  root: 'site',
  files: {
    'site/vocs.config.ts':
      "export default { rootDir: '.', sidebar: [{ text: 'Use', link: '/use' }] }",
    'site/pages/use.md': '# Use [How to use it]\n\nText\n\n# Other [kept]\n',
    'site/snippets/a.ts': '// [!region setup]\nconst a = 1\n\n// [!endregion setup]\nconst b = 2\n',
  },
}
const check = async (text: string, expected: string) =>
  expect((await siteText(source, text, 'site/pages/a.md')).trim()).toBe(expected)

test('is recognised by its configuration, which names the folder', async () => {
  expect(vocs.rootOf('site/vocs.config.tsx')).toBe('site')
  expect(vocs.rootOf('vocs.config.json')).toBeNull()
  expect((await siteOf(source)).bases).toEqual(['site', 'site'])
  const files = { 'vocs.config.ts': 'export default {}' }
  const plain = await siteOf({ ...source, config: 'vocs.config.ts', root: '', files })
  expect(plain.bases).toEqual(['docs', ''])
})

test('separates the subtitle from the title', async () => {
  const { title, text } = await sitePage(source, 'site/pages/use.md')
  expect(title).toBe('Use')
  expect(text).toContain('# Use\n\nHow to use it\n\nText\n\n# Other [kept]')
})

test('includes snippets and their regions in code', async () => {
  const fence = (code: string) => `\`\`\`ts\n${code}\n\`\`\``
  await check(fence('// [!include ~/snippets/a.ts:setup]\na'), fence('const a = 1\na'))
  await check(fence('// [!include ~/snippets/a.ts]'), fence('const a = 1\n\nconst b = 2'))
  await check(
    fence('// [!include ~/snippets/a.ts:none]'),
    fence('(The file snippets/a.ts lacks the part that the site shows here.)'),
  )
  await check('[!include ~/snippets/a.ts]', '[!include ~/snippets/a.ts]')
})

test('keeps comments in code below the title', () =>
  check('# A\n\n```sh\n# b [c]\n```', '# A\n\n```sh\n# b [c]\n```'))
