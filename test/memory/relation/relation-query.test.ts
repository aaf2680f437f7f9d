import { expect, test } from 'bun:test'
import {
  pathsFrom,
  queryRelations,
  type RelationQuery,
} from '../../../src/memory/relation/relation-query.ts'
import { parseRelations, relationId } from '../../../src/memory/relation/relation.ts'

const relations = parseRelations(`# Relations
<!-- past {"subject":"Ann","predicate":"works at","object":"Acme","date":"2025-01-01","until":"2026-03-01"} -->
- [Ann] --works at--> [Beta] (2026-03-01)
<!-- relation {"of":"${relationId({ subject: 'Beta', predicate: 'is led by', object: 'Bob' })}","since":"2024-05-01","until":"2027-01-01"} -->
- [Beta] --is led by--> [Bob] (2026-02-01)
- [Bob] --knows--> [Cleo]
- [Cleo] --knows--> [Ann]
`)

function check(query: RelationQuery, expected: string[]) {
  const found = queryRelations(relations, query)
  expect(found.map(({ subject, object }) => `${subject} ${object}`)).toEqual(expected)
}

test('matches names in any case without wildcards (weakness 35)', () => {
  check({ entity: 'BETA' }, ['Ann Beta', 'Beta Bob'])
  check({ subject: 'ann' }, ['Ann Beta'])
  check({ predicate: 'Knows', object: 'cleo' }, ['Bob Cleo'])
  check({ entity: '%' }, [])
  check({ entity: 'B_b' }, [])
})

test('returns relations that were true on a day', () => {
  check({ entity: 'Ann', asOf: '2025-06-01' }, ['Ann Acme', 'Cleo Ann'])
  check({ subject: 'Ann', asOf: '2026-03-01' }, ['Ann Beta'])
  check({ subject: 'Beta', asOf: '2024-06-01' }, ['Beta Bob'])
  check({ subject: 'Beta', asOf: '2027-01-01' }, [])
  check({ subject: 'Ann', past: true }, ['Ann Acme', 'Ann Beta'])
  expect(() => queryRelations(relations, { asOf: 'yesterday' })).toThrow('YYYY-MM-DD')
})

test('finds paths of several hops in both directions, shortest first', () => {
  const live = queryRelations(relations, {})
  const paths = (from: string, options: { hops: number; to?: string }) =>
    pathsFrom(live, from, options).map(({ to, hops }) => `${to} ${hops.length}`)
  expect(paths('ann', { hops: 1 })).toEqual(['Beta 1', 'Cleo 1'])
  expect(paths('Ann', { hops: 2 })).toEqual(['Beta 1', 'Cleo 1', 'Bob 2'])
  expect(paths('Ann', { hops: 9, to: 'bob' })).toEqual(['Bob 2'])
  expect(paths('nobody', { hops: 3 })).toEqual([])
})
