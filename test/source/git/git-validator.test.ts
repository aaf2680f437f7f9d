import { expect, test } from 'bun:test'
import { hasSameBlobs, addBlobIds } from '../../../src/source/git/git.ts'

const blobs = (ids: Record<string, string>) =>
  new Map(Object.entries(ids).map(([path, objectId]) => [path, { objectId }]))

const page = {
  url: 'u',
  path: 'a.md',
  title: '',
  description: '',
  text: '',
  markup: 'markdown' as const,
  lastModified: null,
}

function check(includes: string[], now: Record<string, string>, expected: boolean) {
  const then = blobs({ 'a.md': '1', 'b.py': '2', '[odd] "c".py': '3' })
  const event = addBlobIds({ type: 'page', page, includes }, '1', then)
  const validator = event.type === 'page' ? event.validator : undefined
  expect(hasSameBlobs(validator, now['a.md']!, blobs(now))).toBe(expected)
}

test('a page is unchanged if its blob and its included blobs are unchanged', () => {
  check([], { 'a.md': '1' }, true)
  check([], { 'a.md': '2' }, false)
  check(['b.py'], { 'a.md': '1', 'b.py': '2' }, true)
  check(['b.py'], { 'a.md': '1', 'b.py': '3' }, false)
  check(['b.py'], { 'a.md': '9', 'b.py': '2' }, false)
  check(['b.py'], { 'a.md': '1' }, false)
  check(['b.py', '[odd] "c".py'], { 'a.md': '1', 'b.py': '2', '[odd] "c".py': '3' }, true)
  check(['missing'], { 'a.md': '1' }, true)
  check(['missing'], { 'a.md': '1', missing: '4' }, false)
  check(['lib/'], { 'a.md': '1' }, true)
  check(['lib/'], { 'a.md': '1', 'lib/x.py': '5' }, false)
})

test('treats a page without a validator as changed, and ignores other events', () => {
  expect(hasSameBlobs(undefined, '1', blobs({}))).toBe(false)
  const event = { type: 'skipped', path: 'a', reason: 'r' } as const
  expect(addBlobIds(event, '1', blobs({}))).toBe(event)
})
