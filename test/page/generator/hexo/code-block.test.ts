import { expect, test } from 'bun:test'
import { withCodeBlocks } from '../../../../src/page/generator/hexo/code-block.ts'
import { siteText } from '../../../support/page/site-pages.ts'

test('keeps code blocks without an end, and text without them', () => {
  for (const text of ['{% codeblock %}\na', 'a {% code %} b', '{% codeblock %}\n{% endcode %}\n'])
    expect(withCodeBlocks(text)).toBe(text)
})

test('is read in Jekyll too, as Octopress writes it', async () => {
  const files = { '_config.yml': 'title: A\n' }
  const shown = await siteText(
    { generator: 'jekyll', config: '_config.yml', files },
    '{% codeblock a.rb lang:ruby https://a.example/a.rb the file %}\nputs 1\n{% endcodeblock %}',
    'a.md',
  )
  expect(shown.trim()).toBe('a.rb:\n\n```ruby\nputs 1\n```')
})
