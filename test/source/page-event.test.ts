import { expect, test } from 'bun:test'
import { pageEvent, addValidator } from '../../src/source/page-event.ts'
import type { SourceEvent } from '../../src/source/source.ts'

const url = 'https://docs.example/a.md'

/** @param included the files that the page may include, by path */
function eventOf(text: string | Uint8Array, included?: Record<string, string>) {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const read = async (path: string) => included?.[path] ?? null
  const options = included ? { included: { from: 'docs/a.md', read } } : {}
  return pageEvent({ bytes, path: 'docs/a.md', url }, options)
}

test('parses a file to a page with its URL', async () => {
  expect(await eventOf('# A\n\ntext\n')).toEqual({
    type: 'page',
    page: expect.objectContaining({ url, path: 'docs/a.md', title: 'A' }),
  })
})

test('skips bytes that are not text', async () => {
  const skipped = (reason: string): SourceEvent => ({ type: 'skipped', path: 'docs/a.md', reason })
  expect(await eventOf(new Uint8Array([35, 0, 255]))).toEqual(skipped('binary, not text'))
  expect(await eventOf(new Uint8Array([0xe9, 10]))).toEqual(skipped('text in an unknown encoding'))
  expect(await eventOf(new Uint8Array([0xff, 0xfe, 0x61]))).toEqual(skipped('not UTF-16LE text'))
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'
  expect(await eventOf(pointer)).toEqual(skipped('Git LFS pointer, the file itself is not here'))
})

test('skips script frames, redirecting pages and empty notebooks', async () => {
  const event = (path: string, text: string) => pageEvent({ bytes: Buffer.from(text), path, url })
  const skipped = (path: string, reason: string): SourceEvent => ({ type: 'skipped', path, reason })
  for (const head of ['<script src="a.js"></script>', '<meta http-equiv="refresh" content="0">']) {
    expect(
      await event('a.html', `<html><head>${head}</head><body><div id="root"></div></body>`),
    ).toEqual(skipped('a.html', 'HTML without content'))
  }
  expect(await event('a.ipynb', '{"cells": []}')).toEqual(
    skipped('a.ipynb', 'a notebook without text'),
  )
})

test('reports a page that cannot be parsed as failed, without the path in the reason', async () => {
  const bytes = Buffer.from('{"cells": 1}')
  expect(await pageEvent({ bytes, path: 'a.ipynb', url })).toEqual({
    type: 'failed',
    url,
    reason: 'a notebook without cells',
  })
})

test('lists the files that a page includes, even missing ones', async () => {
  const text = '# A\n\n--8<-- "docs/b.md"\n\n--8<-- "docs/c.md"\n'
  const event = await eventOf(text, { 'docs/b.md': 'from b' })
  expect(event).toMatchObject({ type: 'page', page: { text: expect.stringContaining('from b') } })
  const { includes } = event as Extract<SourceEvent, { type: 'page' }>
  expect(includes).toContain('docs/b.md')
  expect(includes).toContain('docs/c.md')
})

test('adds a validator only to pages', async () => {
  expect(addValidator(await eventOf('# A'), 'v1')).toMatchObject({ validator: 'v1' })
  const skipped: SourceEvent = { type: 'skipped', path: 'a', reason: 'b' }
  expect(addValidator(skipped, 'v1')).toBe(skipped)
})

test('skips a page without letters, such as the page of a section', async () => {
  const skipped = { type: 'skipped', path: 'docs/a.md', reason: 'no text of its own' } as const
  expect(await eventOf('---\nlayout: group\n---\n')).toEqual(skipped)
  const site = { generator: 'hugo', root: '', bases: [], variables: new Map<string, string>() }
  const ofSite = {
    path: 'docs/a.md',
    url: 'x:/',
    site: { ...site, title: null, isShared: false, path: 'docs/a.md' },
  }
  expect(await pageEvent({ ...ofSite, bytes: Buffer.from('# Tasks\n') })).toEqual(skipped)
  const described = await eventOf('---\nexcerpt: About it.\n---\n')
  expect(described).toMatchObject({ page: { text: 'About it.\n' } })
})
