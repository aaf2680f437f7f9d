import { expect, test } from 'bun:test'
import { isShown, settled, shownCommands } from '../support/guide.ts'

test('accepts output in a document that differs only in variable parts and omissions', () => {
  const printed = ['a', 'b (1 of 2)', '', 'c 0.3 s', 'd']
  expect(isShown(['a', 'b (1 of 2)', '', 'c 1.7 s', 'd'], printed)).toBe(true)
  expect(isShown(['a', '…', 'd'], printed)).toBe(true)
  expect(isShown(['a', '…'], printed)).toBe(true)
  expect(isShown(['…', 'c 1.0 s', '…'], printed)).toBe(true)
  expect(isShown(['a', '…', 'e'], printed)).toBe(false)
  expect(isShown(['a', 'd'], printed)).toBe(false)
  expect(isShown(['a'], printed)).toBe(false)
  expect(isShown([], printed)).toBe(false)
  expect(isShown(['…', 'd', '…', 'a', '…'], printed)).toBe(false)
  expect(isShown([], [])).toBe(true)
})

test('replaces the parts that differ between runs', () => {
  expect(settled('Backup 2026-03-20_101500, INDEXED 2026-03-20 10:15Z, score=1.2691)')).toBe(
    'Backup BACKUP, INDEXED DATE TIMEZ, score=N)',
  )
  expect(settled('(write mwrhzecq-daba54), entry a10c97f2d274')).toBe('(write WRITE), entry ENTRY')
})

test('reads the commands of a document with their output', () => {
  const text = '# a\n\n```console\n$ x -y\none\n\n$ z\n```\n```sh\nog w\n```\n'
  expect(shownCommands(text)).toEqual([
    { command: 'x -y', output: ['one', ''] },
    { command: 'z', output: [] },
  ])
})
