import { expect, test } from 'bun:test'
import type { Page } from '../../src/page/page.ts'
import { openPageParts } from '../../src/source/pages.ts'
import type { Source } from '../../src/store/source.ts'

const folder: Source = { kind: 'local_path', path: '/x' }
const page = (url: string) => ({ url }) as Page

test('yields each page of a file separately, with the validator of the file', () => {
  const separate = openPageParts(folder)
  const event = { type: 'page', page: page('a'), parts: [page('a#1')], validator: 'v' } as const
  expect([...separate({ ...event, parts: [...event.parts] })]).toEqual([
    { type: 'page', page: page('a'), validator: 'v' },
    { type: 'page', page: page('a#1'), validator: 'v' },
  ])
})

test('keeps all pages of a file that has not changed', () => {
  const separate = openPageParts(
    folder,
    new Map([
      ['a', 'v'],
      ['a#1', 'v'],
      ['b#2', 'v'],
    ]),
  )
  expect(
    [...separate({ type: 'unchanged', url: 'a', validator: 'w' })].map(
      (it) => 'url' in it && it.url,
    ),
  ).toEqual(['a', 'a#1'])
  const site = openPageParts({ kind: 'llms_txt', url: 'u' } as Source, new Map([['a#1', 'v']]))
  expect([...site({ type: 'unchanged', url: 'a' })]).toHaveLength(1)
})

test('keeps all pages of a file that cannot be read this time', () => {
  const known = new Map([
    ['a', 'v'],
    ['a#1', 'v'],
  ])
  const separate = openPageParts({ kind: 'web_page', url: 'a' }, known)
  expect([...separate({ type: 'failed', url: 'a', reason: 'r' })]).toEqual([
    { type: 'failed', url: 'a', reason: 'r' },
    { type: 'unchanged', url: 'a#1', validator: 'v' },
  ])
})
