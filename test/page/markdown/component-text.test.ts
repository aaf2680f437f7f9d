import { expect, test } from 'bun:test'
import {
  renderAttributes,
  boxTitle,
  codeTab,
  isTab,
  tabLabels,
} from '../../../src/page/markdown/component-text.ts'
import { jsxTag } from '../../../src/page/markdown/jsx-tag.ts'

test('turns notes, tabs and components with a title into boxes', () => {
  const check = (tag: string, expected: string | null) =>
    expect(boxTitle(jsxTag(tag)!)).toBe(expected)
  check('<Note>', '**Note**')
  check('<Warning title="Mind  this">', '**Mind this**')
  check('<Callout type="error">', '**Error**')
  check('<Callout>', '**Note**')
  check('<Callout type="odd">', '**Note**')
  check('<Card title="A" href="/a/b">', '**[A](/a/b)**')
  check('<Card title="A [b]" href="/a">', 'A [b]')
  check('<Card title="A" href="x (y)">', '**A**')
  check('<Accordion>', null)
  check('<Update label="2024">', null)
  check('<Notebook title="a">', null)
  check('<TabItem value="b" label="B\nc">', 'B c:')
  check('<Tabs.Tab>', null)
  expect(boxTitle(jsxTag('<Tabs.Tab>')!, 'npm')).toBe('npm:')
})

test('reads tab names from their group', () => {
  const labels = (tag: string) => tabLabels(jsxTag(tag)!)
  expect(labels("<Tabs items={['a', 'b']}>")).toEqual(['a', 'b'])
  expect(labels("<Other items={['a']}>")).toEqual([])
  expect(isTab(jsxTag('<Tabs.Tab>')!)).toBe(true)
  expect(isTab(jsxTag('<Tabs>')!)).toBe(false)
})

test('omits the title of a box from its attributes', () => {
  const tag = jsxTag('<Card title="A" description="b">')!
  expect(renderAttributes(tag, true)).toBe('b')
  expect(renderAttributes(tag, false)).toBe('**A**\n\nb')
})

test('turns a fence into a tab by its attributes, or by its group', () => {
  expect(codeTab('```sh tab="npm"', false)).toEqual({ title: 'npm:', opening: '```sh' })
  expect(codeTab('  ~~~js filename="a.js" {1}', true)).toEqual({
    title: 'a.js:',
    opening: '  ~~~js',
  })
  expect(codeTab('```js Try it {1-2} wrap', true)).toEqual({ title: 'Try it:', opening: '```js' })
  expect(codeTab('```sh [npm]', true)).toEqual({ title: 'npm:', opening: '```sh' })
  expect(codeTab('```js title="a"', false)).toBe(null)
  expect(codeTab('```js {1}', true)).toBe(null)
  expect(codeTab('```', true)).toBe(null)
})
