import { expect, test } from 'bun:test'
import { inlineShortcodeText } from '../../../src/sites/hugo/hugo-text.ts'
import { shortcodeAt } from '../../../src/sites/hugo/shortcode.ts'

const check = (source: string, expected: string | null) => {
  const site = { variables: new Map([['latest', 'v2.9']]) }
  expect(inlineShortcodeText(shortcodeAt(source, 0)!, site)).toBe(expected)
}

test('shows the text of shortcodes without content', () => {
  check('{{< youtube abc_1 >}}', '[Video](https://www.youtube.com/watch?v=abc_1)')
  check('{{< youtube "not an id" >}}', null)
  check('{{< button relref="/a" >}}', null)
  check('{{< icon "star" >}}', '')
  check('{{< latest >}}', 'v2.9')
  check('{{< api-reference page="a/pod-v1" anchor="PodSpec" >}}', 'PodSpec')
  check('{{< badge "new" >}}', 'new')
  check('{{< toString >}}', null)
})
