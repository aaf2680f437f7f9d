import { expect, test } from 'bun:test'
import { isGiven, namedBySource } from '../../../../src/cli/commands/library/add-source.ts'

const env = { HOME: '/home/x' }

function check(typed: string, as: string | null, expected: Record<string, string | null>): void {
  expect(namedBySource(typed, { source: null, as }, env)).toMatchObject(expected)
}

test('a source in place of a name names the library', () => {
  check('lamp', null, { library: 'lamp', source: null })
  check('https://github.com/o/lamp', null, { library: 'lamp', source: 'https://github.com/o/lamp' })
  check('https://docs.lamp.example/', 'other',
    { library: 'other', source: 'https://docs.lamp.example/' })
})

test('what has no name has to be given one', () => {
  expect(() => namedBySource('http://127.0.0.1/', { source: null, as: null }, env))
    .toThrow(/Cannot tell what the library of "http:\/\/127.0.0.1\/" is called/)
  expect(() => namedBySource('lamp', { source: null, as: 'x' }, env)).toThrow(/is a name already/)
})

test('an option is given where it says something', () => {
  expect([[], ['a'], '', 'a', false, true, null].map(isGiven))
    .toEqual([false, true, false, true, false, true, false])
})
