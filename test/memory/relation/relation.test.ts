import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  parseRelations,
  type RelationFacts,
  renderRelation,
  relationId,
  normalizeTriple,
} from '../../../src/memory/relation/relation.ts'

/** Expects relations as `subject|predicate|object|date|note`. */
function check(text: string, expected: string[]) {
  const shown = parseRelations(text).map(({ subject, predicate, object, date, note }) =>
    [subject, predicate, object, date, note].join('|'),
  )
  expect(shown).toEqual(expected)
}

const facts = (known: Partial<RelationFacts>): RelationFacts => ({
  subject: 'Ann',
  predicate: 'works at',
  object: 'Acme',
  note: '',
  date: null,
  confidence: 1,
  source: null,
  since: null,
  until: null,
  isPast: false,
  ...known,
})

test('parses the lines of the grammar', () => {
  check('- [A] --p--> [B]', ['A|p|B||'])
  check('  -  [A b]  --p q-->  [B/c] (2026-01-02)  ', ['A b|p q|B/c|2026-01-02|'])
  check('- [A] --p--> [B] (2026-01-02) - "n"', ['A|p|B|2026-01-02|n'])
  check('- [A] --p--> [B] - n', ['A|p|B||n'])
  check('- [A] --p--> [B] – n', ['A|p|B||n'])
  check('- [A] --p--> [B] (2026-99-99) — say "x" y', ['A|p|B|2026-99-99|say "x" y'])
})

test('skips lines that upstream skips', () => {
  const lines = [
    '* [A] --p--> [B]',
    '-[A] --p--> [B]',
    '- [A] --works-at--> [B]',
    '- [A] -- p--> [B]',
    '- [A] --p--> [B] (not-a-date)',
    '- [A] --p--> [B] prose',
    '- [A] --> [B]',
    '- [] --p--> [B]',
    '- - [A] --p--> [B]',
    '[A] --p--> [B]',
    '# Relations',
    '<!-- - [A] --p--> [B] -->',
  ]
  check(lines.join('\n'), [])
})

test('weakness 12: round-trips confidence, source, date and validity', () => {
  const text = fc.string({ maxLength: 12, unit: fc.constantFrom(...'aB"\'> -–—#é({<') })
  const name = text.filter((it) => it.trim() === it && it !== '')
  const day = fc.constantFrom('2025-01-31', '2026-02-28')
  const relation = fc.record({
    subject: name,
    predicate: fc.constantFrom('works at', 'is', 'ist größer als'),
    object: name,
    note: text.filter((it) => it.trim() === it && it !== ''),
    date: fc.option(day),
    confidence: fc.constantFrom(0, 0.25, 1),
    source: fc.option(name),
    since: fc.option(day),
    until: fc.option(day),
    isPast: fc.boolean(),
  })
  fc.assert(
    fc.property(relation, (known) => {
      const [found] = parseRelations(`# Relations\n${renderRelation(known)}\n`)
      expect(found).toMatchObject(known)
    }),
  )
})

test('upstream reads only the triple of a rendered relation', () => {
  const known = facts({ confidence: 0.5, source: 'a --> b', since: '2026-01-01' })
  const [comment, line] = renderRelation(known).split('\n')
  expect(comment).toBe(
    '<!-- relation {"of":"ID","confidence":0.5,"source":"a --\\u003e b","since":"2026-01-01"} -->'.replace(
      'ID',
      relationId(known),
    ),
  )
  expect(line).toBe('- [Ann] --works at--> [Acme]')
  const past = renderRelation(facts({ isPast: true, until: '2026-02-03', date: '2026-01-01' }))
  expect(past).toBe(
    '<!-- past {"subject":"Ann","predicate":"works at","object":"Acme",' +
      '"date":"2026-01-01","until":"2026-02-03"} -->',
  )
})

test('a comment applies only to the next line, and only if it names that relation', () => {
  const of = relationId({ subject: 'A', predicate: 'p', object: 'B' })
  const comment = (known: object) => `<!-- relation ${JSON.stringify({ of, ...known })} -->\n`
  const below = (text: string) => parseRelations(comment({ confidence: 0.5 }) + text)
  expect(below('- [A] --p--> [B]')).toMatchObject([{ confidence: 0.5, line: 2, firstLine: 1 }])
  expect(below('\n- [A] --p--> [B]\n')).toMatchObject([{ confidence: 1, line: 3, firstLine: 3 }])
  expect(below('- [A] --p--> [C]')).toMatchObject([{ confidence: 1, line: 2, firstLine: 2 }])
  const odd = `${comment({ confidence: 7, until: 'x' })}- [A] --p--> [B]\n`
  expect(parseRelations(odd)).toMatchObject([{ confidence: 1, until: null, firstLine: 1 }])
  expect(parseRelations('<!-- relation {oops} -->\n- [A] --p--> [B]')).toHaveLength(1)
  expect(parseRelations('<!-- past {"subject":"A"} -->')).toEqual([])
})

test('weakness 11: normalizes or rejects text that does not fit on a line', () => {
  const stored = (subject: string, predicate: string, object: string) => {
    try {
      return Object.values(normalizeTriple({ subject, predicate, object })).join('|')
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(stored(' A ', 'works-at', 'B')).toBe('A|works at|B')
  expect(stored('A', '--p--', 'B')).toBe('A|p|B')
  expect(stored('A', 'p>q', 'B')).toBe(`'predicate' cannot contain '>': "p>q"`)
  expect(stored('A', ' - ', 'B')).toBe(`'predicate' cannot be empty.`)
  expect(stored(' ', 'p', 'B')).toBe(`'subject' cannot be empty.`)
  expect(stored('A', 'p', 'B]')).toBe(`'object' cannot contain ']': "B]"`)
  expect(stored('A\nB', 'p', 'B')).toBe(`'subject' cannot contain a line break: "A\\nB"`)
})

test('the id ignores the case of the triple', () => {
  const id = relationId({ subject: 'ANN', predicate: 'Works At', object: 'acme' })
  expect(id).toBe(relationId(facts({})))
  expect(id).toMatch(/^[0-9a-f]{16}$/)
})
