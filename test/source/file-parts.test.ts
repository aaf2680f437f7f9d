import { expect, test } from 'bun:test'
import type { Page } from '../../src/page/page.ts'
import { openPageParts } from '../../src/source/known-pages.ts'

const page = (url: string) => ({ url }) as Page

test('yields each page of a file separately, with the validator of the file', () => {
  const separate = openPageParts()
  const event = { type: 'page', page: page('a'), parts: [page('a#1')], validator: 'v' } as const
  expect([...separate({ ...event, parts: [...event.parts] })]).toEqual([
    { type: 'page', page: page('a'), validator: 'v' },
    { type: 'page', page: page('a#1'), validator: 'v' },
  ])
})

test('keeps all pages of a file that has not changed', () => {
  const separate = openPageParts(
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
  const site = openPageParts(new Map([['a#1', 'v']]))
  expect([...site({ type: 'unchanged', url: 'a' })]).toHaveLength(1)
})

test('keeps all pages of a file that cannot be read this time', () => {
  const known = new Map([
    ['a', 'v'],
    ['a#1', 'v'],
  ])
  const separate = openPageParts(known)
  expect([...separate({ type: 'failed', url: 'a', reason: 'r' })]).toEqual([
    { type: 'failed', url: 'a', reason: 'r' },
    { type: 'unchanged', url: 'a#1', validator: 'v' },
  ])
})
