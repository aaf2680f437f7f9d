import { expect, test } from 'bun:test'
import { partialMatcher, readSite } from '../../src/sites/generators.ts'
import { quartoToMarkdown } from '../../src/sites/quarto.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

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

function check(text: string, expected: string, front: Record<string, string> = {}): void {
  const site = {
    generator: 'quarto' as const,
    root: '',
    bases: [],
    variables: new Map([['kettle', 'red']]),
    path: 'a.qmd',
    title: null,
    isShared: false,
  }
  expect(quartoToMarkdown(text, { site, front: new Map(Object.entries(front)) })).toBe(expected)
}

test('fills in values of the front matter, then of the configuration', () => {
  check('{{< meta kettle >}} {{< var kettle >}} {{< meta none >}}', 'blue blue ', {
    kettle: 'blue',
  })
  check('{{< var kettle >}}', 'red')
})

test('shows raw HTML without its fence, and no programs or other formats', () => {
  check('a\n```{=html}\n<b>x</b>\n```\nb', 'a\n\n<b>x</b>\n\nb')
  check('```{=html}\n<p>x</p>\n<script>\ny\n</script>\n```', '\n<p>x</p>\n')
  check('```{=latex}\n\\x\n```\nb', '\n\nb')
})

test('keeps the options of a displayed cell, and removes the options of a cell that runs', () => {
  const code = '#| label: fig-a\nplot()'
  check(
    `\`\`\`{{python}}\n${code}\n\`\`\``,
    `\`\`\`\`markdown\n\`\`\`{python}\n${code}\n\`\`\`\n\`\`\`\``,
  )
  check(`\`\`\`{python}\n${code}\n\`\`\``, '```python\nplot()\n```')
  check(`\`\`\`yaml\n${code}\n\`\`\``, `\`\`\`yaml\n${code}\n\`\`\``)
  check(
    `\`\`\`\`{.markdown}\n\`\`\`{{r}}\n${code}\n\`\`\`\n\`\`\`\``,
    `\`\`\`\`markdown\n\`\`\`{r}\n${code}\n\`\`\`\n\`\`\`\``,
  )
})

test('shows no classes of divs and captions, and turns the heading of a callout into its title', () => {
  check('::: column-page\nx\n:::', '::: {.column-page}\nx\n:::')
  check(
    '::: {.callout-tip}\n\n## Boil {#b}\n\n## Next\n:::',
    '::: {.callout-tip}\n\n**Boil**\n\n## Next\n:::',
  )
  check(': Parts of a kettle {#tbl-parts}', ': Parts of a kettle')
})

test('takes linear time for a long line of colons', () => {
  const started = usedCpuMs()
  check(':'.repeat(50_000), ':'.repeat(50_000))
  expect(usedCpuMs() - started).toBeLessThan(5000)
})
