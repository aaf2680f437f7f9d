import { expect, test } from 'bun:test'
import { parseRelations } from '../../../src/memory/relation/relation.ts'
import { htmlText } from '../../../src/web/html.ts'
import { relationGraph } from '../../../src/web/memory/relation-graph.ts'

function drawn(lines: readonly string[]): string {
  const made = relationGraph(
    parseRelations(lines.join('\n')),
    (name) => `/to?${encodeURIComponent(name)}`,
  )
  return made === null ? '' : htmlText(made)
}

const spots = (svg: string) =>
  [...svg.matchAll(/<circle cx="(\d+)" cy="(\d+)"/g)].map(
    ([, x, y]) => [Number(x), Number(y)] as const,
  )

test('draws one node per name and one arrow per relation', () => {
  const svg = drawn(['- [Ann] --works at--> [Acme]', '- [ann] --knows--> [Bob]'])
  expect(spots(svg)).toHaveLength(3)
  expect(svg.match(/<line/g)).toHaveLength(2)
  expect(svg).toContain('>works at</text>')
  expect(svg).toContain('<a href="/to?Ann"><title>Ann</title>')
})

test('places names inside the picture without overlaps, always in the same positions', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `- [n${i % 13}] --to--> [n${(i * 7) % 17}]`)
  const svg = drawn(lines)
  expect(drawn(lines)).toBe(svg)
  const found = spots(svg)
  for (const [i, [x, y]] of found.entries()) {
    expect(x >= 0 && x <= 900 && y >= 0 && y <= 520).toBe(true)
    for (const [ox, oy] of found.slice(0, i)) expect(Math.hypot(x - ox, y - oy)).toBeGreaterThan(9)
  }
})

test('draws the names with the most relations', () => {
  const lines = Array.from({ length: 200 }, (_, i) => `- [hub] --to--> [n${i}]`)
  const svg = drawn(lines)
  expect(spots(svg)).toHaveLength(30)
  expect(svg).toContain('171 more names are in the list')
})

test('draws no graph for fewer than two names', () => {
  expect(drawn([])).toBe('')
  expect(drawn(['- [a] --is--> [A]'])).toBe('')
})
