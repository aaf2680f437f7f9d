import { expect, test } from 'bun:test'
import { growthLimitFor } from '../../../src/document/growth.ts'
import { withReferenceTitles } from '../../../src/formats/markdown/markdown-text.ts'
import { parseMarkdown } from '../../../src/formats/markdown/parse-markdown.ts'

const check = (line: string, expected: string) =>
  expect(withReferenceTitles(line, new Map())).toBe(expected)

test('shows the labels of references whose target is unknown', () => {
  check('{ref}`a label`, {ref}`words <x>`, {py:func}`~a.b`', 'a label, words, `b`')
  check('[](a/b.md), [](#x), [](https://x.example)', '[b](a/b.md), [](#x), [](https://x.example)')
  check('[][a.b.C] and [x][a]', '[`a.b.C`][a.b.C] and [x][a]')
  check('<doc:Guide/BoilWater#Red-Kettle>, <doc:BoilWater>', 'Red Kettle, Boil Water')
  check('<doc:Kettle/boil(_:for:)-5x1a>, `<doc:A>`', '`boil(_:for:)`, `<doc:A>`')
  check('[!code-cs[](a.cs)] and `` {ref}`a` ``', '[!code-cs[](a.cs)] and `` {ref}`a` ``')
})

test('shows links of wikis as their text', () => {
  check('[[a\\B::c()|c()]], [[a\\B]] and [[yii::t()]]', 'c(), `a\\B` and `yii::t()`')
  check('[[guide/Page#part|the part]] and [[The words|guide/page]]', 'the part and The words')
  check(
    '[[Other page]], [[name]], `[[A b]]`, [[1]](x) and ![[a.png]]',
    'Other page, [[name]], `[[A b]]`, [[1]](x) and ![[a.png]]',
  )
})

test('shows links of DocC to symbols as their names', () => {
  const shown = (path: string) => {
    const text =
      '# ``Kit/Store``\n\n- ``Store/send(_:)-4ub6q`` ``body-swift.property``\n```\n``a/b``\n```\n'
    return parseMarkdown(text, { path, url: 'x:/', growth: growthLimitFor(text.length) }).text
  }
  expect(shown('A.docc/Store.md')).toBe('# `Store`\n\n- `send(_:)` `body`\n```\n``a/b``\n```\n')
  expect(shown('a/Store.md')).toContain('``Kit/Store``')
})
