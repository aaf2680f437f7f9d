import { expect, test } from 'bun:test'
import {
  closesFence,
  fenced,
  openedFence,
  withoutFences,
} from '../../../src/page/markdown/fence.ts'

test('recognises lines that open a fence', () => {
  expect(openedFence('```js')).toEqual({ mark: '`', length: 3, indent: 0 })
  expect(openedFence('  ~~~~ a ` b')).toEqual({ mark: '~', length: 4, indent: 2 })
  expect(openedFence('1. - ```')).toEqual({ mark: '`', length: 3, indent: 5 })
  // A list or an admonition above may have indented it.
  expect(openedFence('    ```')).toEqual({ mark: '`', length: 3, indent: 4 })
  for (const line of ['``', '       ```', 'a ```', '``` a ` b', ''])
    expect(openedFence(line)).toBeNull()
})

test('recognises lines that close a fence', () => {
  const fence = { mark: '`', length: 4, indent: 0 }
  for (const line of ['````', '``````  ', '   ````']) expect(closesFence(fence, line)).toBe(true)
  for (const line of ['```', '~~~~', '```` a', '    ````'])
    expect(closesFence(fence, line)).toBe(false)
  expect(closesFence({ ...fence, indent: 3 }, '      ````')).toBe(true)
})

test('returns the lines outside fences', () => {
  expect(withoutFences('a\n```\nb\n```\nc\n~~~ js\nd\n```\n')).toBe('a\nc')
  expect(withoutFences('a\n\nb\n')).toBe('a\n\nb\n')
})

test('encloses code in a longer fence than any inside it', () => {
  expect(fenced('\n \n  a\n\n', 'js')).toBe('```js\n  a\n```')
  expect(fenced('`````', '')).toBe('``````\n`````\n``````')
  expect(fenced(' \n ', 'js')).toBe('')
})
