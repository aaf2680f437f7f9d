import { expect, test } from 'bun:test'
import { findContradictions } from '../../../src/memory/audit/audit-relations.ts'

const count = (...triples: string[]) =>
  findContradictions(
    triples
      .map((one) => {
        const [subject, predicate, object] = one.split('|')
        return `- [${subject}] --${predicate}--> [${object}]\n`
      })
      .join(''),
  ).length

test('reports two homes of one person, but not two friends', () => {
  expect(count('Ann|lives in|Bern', 'Ann|lives in|Rome')).toBe(1)
  expect(count('Ann|lives in|Bern', 'ann|Lives in|bern')).toBe(0)
  expect(count('Ann|lives in|Bern', 'Ben|lives in|Rome')).toBe(0)
  expect(count('Ann|knows|Ben', 'Ann|knows|Cleo')).toBe(0)
})

test('reports a predicate and its negation', () => {
  expect(count('Ann|likes|tea', 'Ann|does not like|tea')).toBe(1)
  expect(count('Ann|likes|tea', 'Ann|dislikes|tea')).toBe(1)
  expect(count('Ann|likes|tea', 'Ann|does not like|milk')).toBe(0)
  expect(count('Ann|likes|tea', 'Ann|makes|tea')).toBe(0)
  expect(count('Ann|does not like|tea', 'Ann|dislikes|tea')).toBe(0)
})
