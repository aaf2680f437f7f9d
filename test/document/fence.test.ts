import { expect, test } from 'bun:test'
import { closesFence, fenceCode, parseFence, withoutFences } from '../../src/document/fence.ts'

test('recognises lines that open a fence', () => {
  expect(parseFence('```js')).toEqual({ mark: '`', length: 3, indent: 0 })
  expect(parseFence('  ~~~~ a ` b')).toEqual({ mark: '~', length: 4, indent: 2 })
  expect(parseFence('1. - ```')).toEqual({ mark: '`', length: 3, indent: 5 })
  // A list or an admonition above the fence may have indented it.
  expect(parseFence('    ```')).toEqual({ mark: '`', length: 3, indent: 4 })
  for (const line of ['``', '       ```', 'a ```', '``` a ` b', ''])
    expect(parseFence(line)).toBeNull()
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
  expect(fenceCode('\n \n  a\n\n', 'js')).toBe('```js\n  a\n```')
  expect(fenceCode('`````', '')).toBe('``````\n`````\n``````')
  expect(fenceCode(' \n ', 'js')).toBe('')
})
