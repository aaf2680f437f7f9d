import { expect, test } from 'bun:test'
import { requiredAs } from '../../../src/api/typescript/ts-commonjs.ts'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

test('takes the default export of a required module, or else the whole module', () => {
  expect(requiredAs('a', './b', true).map(({ original }) => original)).toEqual(['default', null])
})

test('documents functions and classes that a module assigns to its exports', () => {
  const { symbols } = outlineTypeScript(
    '/** Burns. */\nexports.light = function (oil) {}\n/** Cuts. */\nmodule.exports = class Wick {}',
  )
  expect(symbols.map((it) => [it.name, it.kind, it.signature, it.documentation])).toEqual([
    ['light', 'function', 'light = function (oil)', 'Burns.'],
    ['Wick', 'class', 'class Wick', 'Cuts.'],
  ])
})
