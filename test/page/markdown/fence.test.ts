import { expect, test } from 'bun:test'
import {
  closesFence,
  fenced,
  openedFence,
  withoutFences,
} from '../../../src/page/markdown/fence.ts'

test('lines that open a fence', () => {
  expect(openedFence('```js')).toEqual({ mark: '`', length: 3, indent: 0 })
  expect(openedFence('  ~~~~ a ` b')).toEqual({ mark: '~', length: 4, indent: 2 })
  expect(openedFence('1. - ```')).toEqual({ mark: '`', length: 3, indent: 5 })
  // A list or an admonition above may have indented it.
  expect(openedFence('    ```')).toEqual({ mark: '`', length: 3, indent: 4 })
  for (const line of ['``', '       ```', 'a ```', '``` a ` b', ''])
    expect(openedFence(line)).toBeNull()
})

test('lines that close it', () => {
  const fence = { mark: '`', length: 4, indent: 0 }
  for (const line of ['````', '``````  ', '   ````']) expect(closesFence(fence, line)).toBe(true)
  for (const line of ['```', '~~~~', '```` a', '    ````'])
    expect(closesFence(fence, line)).toBe(false)
  expect(closesFence({ ...fence, indent: 3 }, '      ````')).toBe(true)
})

test('what stands outside', () => {
  expect(withoutFences('a\n```\nb\n```\nc\n~~~ js\nd\n```\n')).toBe('a\nc')
  expect(withoutFences('a\n\nb\n')).toBe('a\n\nb\n')
})

test('code between fences longer than its own', () => {
  expect(fenced('\n \n  a\n\n', 'js')).toBe('```js\n  a\n```')
  expect(fenced('`````', '')).toBe('``````\n`````\n``````')
  expect(fenced(' \n ', 'js')).toBe('')
})
