import { expect, test } from 'bun:test'
import {
  parseLiquidEnd,
  resolveLiquidTags,
  parseLiquidBlock,
} from '../../../src/formats/markdown/liquid.ts'
import { toPlainMarkdown } from '../../../src/formats/markdown/markdown-text.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

/** Checks the text without blank lines and box marks. */
function check(source: string, expected: string): void {
  const lines = toPlainMarkdown(source)
    .split('\n')
    .map((line) => line.trim())
  expect(lines.filter((line) => line !== '').join('\n')).toBe(expected)
}

test('shows hints, tabs and code of GitBook as text', () => {
  check('{% hint style="warning" %}\nHot.\n{% endhint %}', '**Warning**\nHot.')
  check('{% hint style="info" %} Hot. {% endhint %}', '**Info**\nHot.')
  check(
    '{% tabs %}\n{% tab title="npm" %}\na\n{% endtab %}\n{% tab title="yarn" %}\nb\n{% endtab %}\n{% endtabs %}',
    'npm:\na\nyarn:\nb',
  )
  check(
    '{% code title="a.js" %}\n```js\nx\n```\n{% endcode %}\n{% hint %}\n{% endhint %}',
    'a.js:\n```js\nx\n```\n**Info**',
  )
  check(
    '{% embed url="https://x.y" %}\n{% content-ref url="a.md" %}\n[a](a.md)\n{% endcontent-ref %}',
    '[https://x.y](https://x.y)\n[a](a.md)',
  )
})

test('resolves the tags of Jekyll', () => {
  check(
    '{% codeblock a.rb lang:ruby https://a.example/a.rb the file %}\nputs 1\n{% endcodeblock %}',
    'a.rb:\n```ruby\nputs 1\n```',
  )
  check(
    '{% highlight ruby linenos %}\n{{ site.x }}\n{% endhighlight %}',
    '```ruby\n{{ site.x }}\n```',
  )
  check('{% raw %}\n{% if x %} {{ site.x }}\n{% endraw %}\nb', '{% if x %} {{ site.x }}\nb')
  check('{% include note.html content="Mind." %}\n{% comment %}\nhidden\n{% endcomment %}', 'Mind.')
  check(
    '[a]({% link _docs/x.md %}) {{ site.baseurl }}\n{% if page.x %}\nb\n{% endif %}',
    '[a](/docs/x)\nb',
  )
})

test('keeps tags in code, and text without tags of Jekyll or GitBook', () => {
  check('{% link a %}\n```\n{% raw %}\n```\n`{% if %}`', '/a\n```\n{% raw %}\n```\n`{% if %}`')
  const jinja = 'text\n{% if x %}\n{{ y }}'
  expect(resolveLiquidTags(jinja)).toBe(jinja)
  expect(resolveLiquidTags('{{% note %}}')).toBe('{{% note %}}')
})

test('lists the blocks that lines open and close', () => {
  expect(parseLiquidBlock('{% step %}')).toEqual({ replacement: '', closer: 'endstep' })
  expect(parseLiquidBlock('{% if x %}')).toBeNull()
  expect(parseLiquidEnd('  {% endstep %}')).toBe('endstep')
  expect(parseLiquidEnd('{% step %}')).toBeNull()
})

test('takes linear time for hostile tags', () => {
  const started = usedCpuMs()
  for (const piece of ['{% a ', '{%- note', '{% raw %}', '`{% ', '{% x %', '{{ site.']) {
    resolveLiquidTags(`{% link a %}\n${piece.repeat(20_000)}`)
  }
  expect(usedCpuMs() - started).toBeLessThan(2000)
})

test('keeps the labels of tabs without a name, and of unknown blocks', () => {
  check(
    "{% tabs v %}\n{% tab 'Version 2' for=v %}\na\n{% endtab %}\n{% tab v npm %}\nb\n{% endtab %}\n{% endtabs %}",
    'Version 2:\na\nnpm:\nb',
  )
  check(
    "{% hint %}\n{% altDetails 'See more' %}\na\n{% endaltDetails %}\n{% endhint %}",
    '**Info**\n**See more**\na',
  )
  check('{% raw %}{% endraw %}[t]: {% link _guide/types.md %}', '[t]: /guide/types')
  check('[t]: {% link docs/index.md %}', '[t]: /docs/')
  check('[t]: {% post_url 2024-01-31-lid %}', '[t]: /2024/01/31/lid')
  check('[t]: {% link assets/a_b.pdf %}', '[t]: /assets/a_b.pdf')
})
