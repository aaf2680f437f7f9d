import { expect, test } from 'bun:test'
import { pageSiteOf, readSite } from '../../../../src/page/generator/generators.ts'
import { openTitleIndex, titlesFrom } from '../../../../src/page/reference/title-index.ts'
import { parsePage } from '../../../../src/page/parse.ts'
import { fileReader } from '../../../support/page/file-reader.ts'
import { siteOf, siteText, type SiteSource } from '../../../support/page/site-pages.ts'
import { usedCpuMs } from '../../../support/pages/cpu-time.ts'
import { hexo } from '../../../../src/page/generator/hexo/hexo.ts'

const source: SiteSource = {
  generator: 'hexo',
  config: '_config.yml',
  files: {
    '_config.yml': 'title: Kettle\nsource_dir: source\npublic_dir: public\ntheme: tea\n',
    'source/downloads/code/a.js': 'one()\ntwo()\nthree()\n',
    'source/_posts/2020-01-02-first-cup.md': '---\ntitle: The first cup\n---\nText\n',
  },
}
const check = async (text: string, expected: string) => {
  const shown = await siteText(source, text, 'source/docs/a.md')
  expect(shown.replace(/\n{3,}/g, '\n\n').trim()).toBe(expected)
}

test('tells sites of Hexo and Jekyll apart by their configuration', async () => {
  const site = async (generator: 'hexo' | 'jekyll', text: string) =>
    await readSite({ generator, path: 'web/_config.yml', root: 'web', text }, async () => null)
  const own = source.files['_config.yml']!
  expect((await site('hexo', own))?.folders).toEqual(['web/source'])
  expect(await site('jekyll', own)).toBeNull()
  expect(await site('hexo', 'title: A\ntheme: minima\n')).toBeNull()
  expect(await site('jekyll', 'title: A\ntheme: minima\n')).not.toBeNull()
  expect((await siteOf(source)).partials?.test('source/_drafts/a.md')).toBe(true)
})

test('converts code blocks to fences, also in notes and lists', async () => {
  await check(
    '{% codeblock Pour it lang:js mark:1 %}\nif (a) { b }\n{% endcodeblock %}\nAfter',
    'Pour it:\n\n```js\nif (a) { b }\n```\n\nAfter',
  )
  await check('{% code %}\n{{ site.x }}\n{% endcode %}', '```\n{{ site.x }}\n```')
  await check(
    '- a\n\n  {% codeblock lang:sh %}\n  b\n  {% endcodeblock %}',
    '- a\n\n  ```sh\n  b\n  ```',
  )
  await check(
    '{% codeblock %}\n{% codeblock a %}\n```\n{% endcodeblock %}\n{% endcodeblock %}\nb',
    '````\n{% codeblock a %}\n```\n{% endcodeblock %}\n````\n\nb',
  )
  await check(
    '````\n{% codeblock %}\na\n{% endcodeblock %}\n````',
    '````\n{% codeblock %}\na\n{% endcodeblock %}\n````',
  )
})

test('shows notes with their title, and the words of links', async () => {
  await check('{% note warn %}\nHot.\n{% endnote %}', '**Warning**\n\nHot.')
  await check('{% note info "Mind it" %}\nHot.\n{% endnote %}', '**Mind it**\n\nHot.')
  await check(
    '{% link Tea https://tea.example %} `{% post_link a %}`',
    '[Tea](https://tea.example) `{% post_link a %}`',
  )
  await check("see {% post_link first-cup 'the cup' false %}.", 'see the cup.')
})

test('includes code, and keeps tags in code spans', async () => {
  await check('{% include_code Pour lang:js from:2 to:2 a.js %}', 'Pour:\n\n```js\ntwo()\n```')
  await check('{% include_code a.js %}', '```js\none()\ntwo()\nthree()\n```')
  await check('`{% raw %}{% post_link a %}{% endraw %}`', '`{% post_link a %}`')
})

test('shows links to posts as their titles', async () => {
  const path = 'source/docs/a.md'
  const text = 'see {% post_link first-cup %} and {% post_link gone %}.\n'
  const files = { ...source.files, [path]: text }
  const index = openTitleIndex({ paths: Object.keys(files), read: fileReader(files) })
  const site = pageSiteOf(await siteOf(source), path)
  const page = await parsePage(
    { bytes: Buffer.from(text), path, url: 'x:/', site },
    { from: path, read: fileReader(files), titles: titlesFrom(index, path) },
  )
  expect(page.text.trim()).toBe('see The first cup and gone.')
})

test('converts hostile text in linear time', async () => {
  const site = pageSiteOf(await siteOf(source), 'a.md')
  const started = usedCpuMs()
  for (const unit of [
    '{% codeblock %}\n',
    '{% note ',
    '{% post_link "',
    '`{% note',
    '{% note "a" ',
  ])
    hexo.toMarkup!(unit.repeat(30_000), { path: 'a.md', site })
  expect(usedCpuMs() - started).toBeLessThan(3000)
})
