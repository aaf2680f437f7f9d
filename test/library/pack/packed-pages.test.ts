import { expect, test } from 'bun:test'
import { chunkPage } from '../../../src/chunk/chunk.ts'
import { packPages, unpackPages, type PackedPage } from '../../../src/library/pack/packed-pages.ts'
import { countWords } from '../../support/count-words.ts'

const texts = {
  url: 'doc:/a.md',
  path: 'a.md',
  title: 'Ä\u2028"',
  description: '',
  last_modified: '2026',
  markup: 'markdown',
  validator: 'etag',
  text: '\ufeff# Ä\n\n\ud83d\ude00 text\n',
}
const page: PackedPage = {
  page: texts,
  chunks: [
    { heading: 'Ä > b', start_offset: 0, end_offset: 4, terms: 'ä b' },
    { heading: '', start_offset: 3, end_offset: texts.text.length, terms: '' },
  ],
}

test('restores pages exactly', () => {
  const pages = [page, { page: { ...texts, url: 'doc:/b.md' }, chunks: [] }]
  expect([...unpackPages(packPages(pages))]).toEqual(pages)
})

test('rejects a line that is not a page, and a chunk outside its page', () => {
  const line = JSON.stringify([...Object.values(texts), [['h', 0, 2, 't']]])
  expect([...unpackPages(Buffer.from(`${line}\n`))].length).toBe(1)
  check('its last line has no line break', line)
  check('it is not a page', '{}\n')
  check('it is not a page', '[]\n')
  check('it is not a page', `${line.slice(0, -1)},1]\n`)
  check('JSON', 'x\n')
  check('the url of a page is not a string', line.replace('"doc:/a.md"', '7'))
  check('a page has no known markup', line.replace('"markdown"', '"exe"'))
  check('a page has no known markup', line.replace('"doc:/a.md"', '""'))
  check('a page has no list of chunks', line.replace('[["h",0,2,"t"]]', 'null'))
  const places = [
    '["h",0,0,"t"]',
    '["h",-1,2,"t"]',
    '["h",0,99,"t"]',
    '["h",0.5,2,"t"]',
    '["h",1e99,2,"t"]',
    '["h","0",2,"t"]',
    '[7,0,2,"t"]',
    '["h",0,2,null]',
    'null',
    '{}',
  ]
  for (const place of places) {
    check('a chunk is not in its page', line.replace('["h",0,2,"t"]', place))
  }
  const long = JSON.stringify([...Object.values({ ...texts, title: 'x'.repeat(100_001) }), []])
  check('the title of a page is not a string of at most 100000 characters', long)
  expect(() => [...unpackPages(Buffer.from([0x5b, 0xff, 0x0a]))]).toThrow()
})

test.each([
  ['# a\n'.repeat(1000), undefined, 0],
  ['How to make light. '.repeat(2000), 100, 99],
  ['```\nlamp\n```\n\nword\n\n'.repeat(500), 200, 199],
])('accepts what this chunker produces: %#', (text, chunkChars, overlapChars) => {
  const chunks = chunkPage(
    { text, markup: 'markdown', title: 'Lamp', path: 'a.md' },
    { countTokens: countWords, overlapChars, ...(chunkChars ? { chunkChars } : {}) },
  ).map(({ start, end, headings }) => ({
    heading: headings.join(' > '),
    start_offset: start,
    end_offset: end,
    terms: '',
  }))
  const pages = [{ page: { ...texts, text }, chunks }]
  expect([...unpackPages(packPages(pages))]).toEqual(pages)
})

function check(expected: string, text: string): void {
  const ended = text.endsWith('\n') || expected.includes('line break') ? text : `${text}\n`
  expect(() => [...unpackPages(Buffer.from(ended))]).toThrow(expected)
}
