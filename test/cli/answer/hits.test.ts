import { expect, test } from 'bun:test'
import { renderHits } from '../../../src/cli/answer/hits.ts'
import type { Hit } from '../../../src/library/library.ts'
import { plainWhy } from '../../support/why.ts'

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
  anchor: 'model',
  versions: ['0.115.0'],
  path: 'docs/body.md',
  name: 'body',
  kind: 'guide',
  language: null,
  markup: 'markdown',
}

function check(hits: Hit[], expected: string): void {
  expect(renderHits(hits)).toBe(expected)
}

const call =
  '{"tool": "get_full_content_tool", "url": "https://example.org/docs/body.md", ' +
  '"version": "0.115.0"}'

test('renders zero, one and two hits', () => {
  check([], 'Found 0 matches.\n')
  check(
    [hit],
    `Found 1 match.
1. **Request Body**: "First line
second line" (Source: https://example.org/docs/body.md, Version: 0.115.0, score=0.0328)
   Under "Request Body > Model" (#model), lines 3-5
   To get full page content: ${call}
`,
  )
  expect(renderHits([hit, { ...hit, rank: 2, title: '' }])).toContain('\n2. **(no title)**: "First')
})

test('shows the position of a hit and the other versions that contain it', () => {
  function check(more: Partial<Hit>, expected: string) {
    expect(
      renderHits([{ ...hit, ...more }])
        .split('\n')
        .at(-3),
    ).toBe(`   ${expected}`)
  }
  check({ heading: '', anchor: null }, 'Lines 3-5')
  check({ anchor: null }, 'Under "Request Body > Model", lines 3-5')
  const versions = ['0.116.0', '0.115.0', '0.100.0']
  check({ heading: '', versions }, 'Lines 3-5; the same in 0.116.0, 0.100.0')
})

test('escapes the JSON in the hint as Python does', () => {
  const odd = { ...hit, url: 'file:///d/é "x"\\😀.md', version: 'v1' }
  expect(renderHits([odd]).split('\n').at(-2)).toBe(
    '   To get full page content: {"tool": "get_full_content_tool", ' +
      '"url": "file:///d/\\u00e9 \\"x\\"\\\\\\ud83d\\ude00.md", "version": "v1"}',
  )
})

test('announces a weak answer above its hits and suggests other libraries below', () => {
  const url = 'https://example.org/docs/body.md'
  const place = { library: 'fastapi', version: '0.115.0', title: 'Request Body', url }
  const doubt = {
    reason: 'no good match in fastapi 0.115.0',
    nearest: [
      { ...place, heading: 'Request Body > Model' },
      { ...place, heading: '' },
    ],
    suggest: [
      { library: 'vite', version: '6', command: 'og query x -l vite -v 6' },
      { library: 'react', version: null, command: 'og add react' },
    ],
  }
  const others = `Perhaps in vite 6: og query x -l vite -v 6
react is not indexed. To add it: og add react
`
  const [first, rest] = renderHits([hit], doubt).split(/(?<=nearest:\n)/)
  expect(first).toBe('Found 1 match.\nNo passage is clearly about this; nearest:\n')
  expect(`Found 1 match.\n${rest}`).toBe(renderHits([hit]) + others)
  expect(renderHits([], { ...doubt, nearest: [], suggest: [] })).toBe('Found 0 matches.\n')
  expect(renderHits([], doubt)).toBe(`Found 0 matches.
No good match in fastapi 0.115.0. Without --strict the nearest are shown.
Nearest headings:
  Request Body > Model (fastapi 0.115.0, ${url})
  Request Body (fastapi 0.115.0, ${url})
${others}`)
})

test('prints sentences about missing names before the number of hits', () => {
  expect(renderHits([], null, ['kit 1 has no "kit.on".'])).toBe(
    'kit 1 has no "kit.on".\nFound 0 matches.\n',
  )
})
