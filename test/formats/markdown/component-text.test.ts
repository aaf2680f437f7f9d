import { expect, test } from 'bun:test'
import {
  renderAttributes,
  boxTitle,
  computedTag,
  codeTab,
  isTab,
  tabLabels,
} from '../../../src/formats/markdown/component-text.ts'
import { jsxTag } from '../../../src/formats/markdown/jsx-tag.ts'

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
  expect([...labels("<Tabs items={['a', 'b']}>")]).toEqual([
    ['0', 'a'],
    ['1', 'b'],
  ])
  const values = labels("<Tabs values={[{ label: 'A', value: 'a' }, { value: 'b' }]}>")
  expect([...values]).toEqual([['a', 'A']])
  expect(labels("<Other items={['a']}>").size).toBe(0)
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

test('renders records as a list, with nested records below', () => {
  const check = (tag: string, ...lines: string[]) =>
    expect(renderAttributes(jsxTag(tag)!, false).split('\n')).toEqual(lines)
  check(
    `<Rows of={[{ name: 'a', type: 'Map<K, V> | null', isOptional: true, description: 'The ' + "first" },
      { name: 'b', default: 0.2, text: \`Of
        two lines.\`, inner: [{ type: 'Part', fields: [{ name: 'c' /* no type */, }] }] }]} />`,
    '- `a` (type: `Map<K, V> | null`, isOptional): The first',
    '- `b` (default: `0.2`): Of two lines.',
    '  - `Part`',
    '    - `c`',
  )
  check(
    `<T type={{ 'x-y': { type: 'number', description: <>The <b>{'width'}</b>, in px.</> }, z: { text: other } }} />`,
    '- `x-y` (type: `number`): The width, in px.',
    '- `z` (text: `other`)',
  )
  check(`<G rows={[['a|b', 1], ['c']]} />`, '|  |  |', '| --- | --- |', '| a\\|b | 1 |', '| c |  |')
  check(`<L of={['One thing.', 'two']} />`, '- One thing.', '- two')
  check(`<Tabs items={['Big tab', 'b']} />`, '')
  check(`<Q of={x} answer="Use it." className="Some Class" />`, 'Use it.')
  for (const look of [
    'style={{ font: { family: "Big Serif" } }}',
    'size={{ w: 1 }}',
    'a={[1, 2]}',
  ]) {
    check(`<Box ${look} />`, '')
  }
})

test('renders a list of words beside other text', () => {
  const check = (tag: string, expected: string) =>
    expect(renderAttributes(jsxTag(tag)!, false)).toBe(expected)
  check('<Poll question="Is it hot?" options={["Yes", "No"]} />', '**Is it hot?**\n\n- Yes\n- No')
  check('<Poll options={["Yes", "No"]} />', '')
})

test('keeps the tag of a component whose content a page computes', () => {
  const check = (tag: string, expected: string) => expect(computedTag(jsxTag(tag)!)).toBe(expected)
  check('<Table\n  rows={await.rows}\n/>', '<Table rows={await.rows} />')
  check('<Table rows={data.map((it) => it.name)} />', '<Table rows={data.map((it) => it.name)} />')
  check('<Table rows={data}>', '')
  check('<Icon icon={logo} onClick={run} big={true} n={3} />', '')
  check('<td rows={data} />', '')
})
