import { expect, test } from 'bun:test'
import { partialMatcher, readSite } from '../../../src/page/generator/generators.ts'

async function site(text: string, others: Record<string, string> = {}) {
  const config = { generator: 'quarto', path: 'web/_quarto.yml', root: 'web', text } as const
  return (await readSite(config, async (path) => others[path] ?? null))!
}

test('reads titles, order and sections of sidebars and books', async () => {
  const { titles, order, sections } = await site(`website:
  sidebar:
    - title: Guide
      contents:
        - a.qmd
        - section: Boiling
          contents: [{text: Water, href: b/water.qmd}, {text: Out, href: "https://x.org"}]
book:
  chapters: [index.qmd, {part: Steam, chapters: [c.qmd]}]
`)
  expect([...titles]).toEqual([['web/b/water.qmd', 'Water']])
  expect(order).toEqual(['web/a.qmd', 'web/b/water.qmd', 'web/index.qmd', 'web/c.qmd'])
  expect([...sections!.values()]).toEqual(['Guide', 'Guide\nBoiling', '', 'Steam'])
})

test('leaves out files and folders whose names begin with an underscore', async () => {
  const found = await site('project:\n  type: website\n', { 'web/_variables.yml': 'kettle: red\n' })
  const isPartial = partialMatcher(found)
  expect(['web/_a.qmd', 'web/_parts/b.qmd', 'web/a/_b/c.qmd'].every(isPartial)).toBe(true)
  expect(isPartial('web/a_b.qmd')).toBe(false)
  expect(found.variables.get('kettle')).toBe('red')
})
