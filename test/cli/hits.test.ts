import { expect, test } from 'bun:test'
import { answerJson, renderHits } from '../../src/cli/hits.ts'
import type { Hit } from '../../src/library/library.ts'
import { plainWhy } from '../support/why.ts'

const hit: Hit = {
  rank: 1,
  score: 0.0327868,
  library: 'fastapi',
  version: '0.115.0',
  url: 'https://example.org/docs/body.md',
  title: 'Request Body',
  heading: 'Request Body > Model',
  text: '\n  First line\nsecond line\n',
  chunkId: 'c1',
  startLine: 3,
  endLine: 5,
  why: plainWhy,
}

function check(hits: Hit[], expected: string): void {
  expect(renderHits(hits)).toBe(expected)
}

const call =
  '{"tool": "get_full_content_tool", "url": "https://example.org/docs/body.md", ' +
  '"version": "0.115.0"}'

test('layout of no, one and two hits', () => {
  check([], 'Found 0 matches.\n')
  check(
    [hit],
    `Found 1 match.
1. **Request Body**: "First line
second line" (Source: https://example.org/docs/body.md, Version: 0.115.0, score=0.0328)
   To get full page content: ${call}
`,
  )
  expect(renderHits([hit, { ...hit, title: '' }])).toContain('\n2. **(no title)**: "First')
})

test('the hint is JSON as Python writes it', () => {
  const odd = { ...hit, url: 'file:///d/é "x"\\😀.md', version: 'v1' }
  expect(renderHits([odd]).split('\n').at(-2)).toBe(
    '   To get full page content: {"tool": "get_full_content_tool", ' +
      '"url": "file:///d/\\u00e9 \\"x\\"\\\\\\ud83d\\ude00.md", "version": "v1"}',
  )
})

test('the JSON contract: names, order and nulls', () => {
  const from = { library: 'a', version: '1.0', package: 'a-dom', named: '1.0.2', file: 'go.mod' }
  const asked = { query: 'q', library: null, version: null }
  const json = answerJson({ ...asked, hits: [hit], versionsFrom: [from] })
  expect(JSON.stringify(json)).toBe(
    '{"query":"q","library":null,"version":null,"hits":[{"rank":1,"score":0.0327868,' +
      '"library":"fastapi","version":"0.115.0","url":"https://example.org/docs/body.md",' +
      '"title":"Request Body","heading":"Request Body > Model",' +
      '"text":"\\n  First line\\nsecond line\\n","chunk_id":"c1","start_line":3,"end_line":5}],' +
      '"version_from":[{"library":"a","version":"1.0","package":"a-dom","named":"1.0.2",' +
      '"file":"go.mod"}]}',
  )
})
