import { expect, test } from 'bun:test'
import { eleventyToMarkdown, eleventy } from '../../src/sites/eleventy.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'
import { siteText, type SiteSource } from '../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'eleventy',
  config: 'eleventy.config.js',
  files: {
    'eleventy.config.js': 'export default { dir: { input: "src" } }\n',
    'src/_includes/snippets/boil.njk':
      '<my-tabs>\n{% set code %}{% raw %}\n{% for x in y %}{{ x }}\n{% endraw %}{% endset %}\n{{ code | highlight("liquid") | safe }}\n</my-tabs>\n',
  },
}

async function check(text: string, expected: string): Promise<void> {
  const shown = await siteText(source, text, 'src/docs/boil.md')
  expect(shown.trim().replace(/\n{2,}/g, '\n')).toBe(expected)
}

test('is recognised by its configuration', () => {
  expect(eleventy.rootOf('docs/.eleventy.js')).toBe('docs')
  expect(eleventy.rootOf('eleventy.config.mjs')).toBe('')
  expect(eleventy.rootOf('eleventy.js')).toBeNull()
})

test('includes parts, and shows the code that a variable contains', () =>
  check(
    'Before\n\n{% include "snippets/boil.njk" %}\n\nAfter\n',
    'Before\n```liquid\n{% for x in y %}{{ x }}\n```\nAfter',
  ))

test('shows code of highlight, titles and notes, and removes other tags', async () => {
  await check(
    '{% highlight "js" %}\nlet a = `{{ b }}`\n{% endhighlight %}',
    '```js\nlet a = `{{ b }}`\n```',
  )
  await check(
    '{% codetitle "a.md", "Syntax" %}\n{% callout "info" %}Hot{% endcallout %}{% tableofcontents %}',
    '**Syntax: a.md**\n**Info**: Hot',
  )
  await check(
    '{% addedin "2.0" %}Use `{% raw %}` and\n\n```njk\n{% set a %}\n```',
    '(added in 2.0)Use `{% raw %}` and\n```njk\n{% set a %}\n```',
  )
})

test('keeps calls of macros, which count as leftovers', async () => {
  await check('{{ npm_tabs({ command: "install" }) }}', '{{ npm_tabs({ command: "install" }) }}')
})

test('takes linear time for tags that stay open', () => {
  const startedAt = usedCpuMs()
  eleventyToMarkdown('{% set a %}\n{{ npm_tabs(\n'.repeat(5000))
  expect(usedCpuMs() - startedAt).toBeLessThan(5000)
})
