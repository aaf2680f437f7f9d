import { expect, test } from 'bun:test'
import { fieldOptions, scopeOptionForms } from '../../src/cli/operation-options.ts'
import { scopeFields, toScope } from '../../src/operation/search.ts'

const fields = {
  name: { type: 'text', maxLength: 10, doc: 'a name' },
  max_tokens: { type: 'whole', min: 1, max: 9, doc: 'a budget' },
  strict: { type: 'switch', doc: 'be strict' },
} as const

test('derives type, bounds and description of an option from its operation field', () => {
  const { options } = fieldOptions(fields, {
    name: { short: 'n', placeholder: 'NAME', isRepeated: true },
    max_tokens: { defaultText: '5' },
    strict: { name: 'sure' },
  })
  expect(options).toEqual({
    name: { type: 'texts', short: 'n', placeholder: 'NAME', doc: 'a name' },
    'max-tokens': {
      type: 'whole',
      placeholder: 'N',
      doc: 'a budget',
      min: 1,
      max: 9,
      defaultText: '5',
    },
    sure: { type: 'switch', doc: 'be strict' },
  })
})

test('converts option values to input: joins repeated values and uses null for missing ones', () => {
  const { input } = fieldOptions(fields, { name: { isRepeated: true }, max_tokens: {} })
  expect(input({ name: ['a', 'b'], 'max-tokens': 3 })).toEqual({ name: 'a,b', max_tokens: 3 })
  expect(input({ name: [], 'max-tokens': null })).toEqual({ name: null, max_tokens: null })
})

test('maps a list to a repeatable option, and a number to validated text', () => {
  const { options, input } = fieldOptions(
    {
      tags: { type: 'texts', doc: 'a tag' },
      rate: { type: 'number', min: 0, max: 1, doc: 'a rate' },
      mode: { type: 'text', choices: ['a', 'b'], doc: 'a mode' },
    },
    { tags: { name: 'tag', placeholder: 'TAG' }, rate: {}, mode: { placeholder: 'MODE' } },
  )
  expect(options).toEqual({
    tag: { type: 'texts', placeholder: 'TAG', doc: 'a tag' },
    rate: { type: 'text', placeholder: 'N', doc: 'a rate' },
    mode: { type: 'text', placeholder: 'MODE', doc: 'a mode', choices: ['a', 'b'] },
  })
  expect(input({ tag: ['x,y', 'z'], rate: '.5', mode: null })).toEqual({
    tags: ['x,y', 'z'],
    rate: 0.5,
    mode: null,
  })
  for (const rate of ['1.5', '-1', 'high', '']) {
    expect(() => input({ tag: [], rate, mode: null })).toThrow(
      `Cannot use "${rate}" for --rate: must be from 0 to 1`,
    )
  }
})

const scopeOptions = fieldOptions(scopeFields, scopeOptionForms)
const none = { library: [], version: null, path: [], language: [], kind: [] }

test('converts search options to a scope', () => {
  expect(toScope(scopeOptions.input(none))).toEqual({
    library: null,
    version: null,
    filter: { paths: [], languages: [], kinds: [] },
  })
  const typed = { library: ['a', 'b,c'], version: '1', path: ['{a,b}/**'], language: ['de, en'] }
  expect(toScope(scopeOptions.input({ ...typed, kind: ['guide,Reference'] }))).toEqual({
    library: 'a,b,c',
    version: '1',
    filter: { paths: ['{a,b}/**'], languages: ['de', 'en'], kinds: ['guide', 'reference'] },
  })
  expect(() => toScope(scopeOptions.input({ ...none, kind: ['song'] }))).toThrow(
    'Unknown kind of page "song"',
  )
})
