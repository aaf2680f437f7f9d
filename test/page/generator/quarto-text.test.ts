import { expect, test } from 'bun:test'
import { quartoToMarkdown } from '../../../src/page/generator/quarto.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

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
