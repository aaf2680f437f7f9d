import { expect, test } from 'bun:test'
import { removeImportsAndExports } from '../../../src/formats/markdown/mdx-module.ts'

const check = (text: string, expected: string) =>
  expect(removeImportsAndExports(text)).toBe(expected)

test('removes imports in any form', () => {
  for (const line of [
    'import "x"',
    "import A from 'x';",
    'import * as A from "x"',
    'import A, { B as C } from "x"  ',
    'import {\n  A,\n  B,\n} from "x"',
    "import A from 'a'; import B from 'b';",
    "import A from './\\_a.md'; import\nB from './\\_b.md';",
  ])
    check(`${line}\na`, 'a')
})

test('keeps lines that only resemble an import', () => {
  for (const line of [
    'import it from "there" now',
    'import from "x"',
    'import a',
    'import A from \'x"',
    'import ""',
    'import {\n  A,\n\ntext "x" it',
    'import x-y from "z"',
    'import Afrom "x"',
    'important "x"',
  ])
    check(line, line)
})

test('removes exports up to their closing bracket', () => {
  check('export const a = {\n  b: [1,\n  2]\n}\na', 'a')
  check('export default ({ a }) => a\n\na', '\na')
  check('export const a =\n  1\na', 'a')
  check('export const a = "{"\na', 'a')
  check("export const a = '\\'{' // x\na", 'a')
  check('export const a = "C:\\"\na', 'a')
  check('export const a = {\na', 'export const a = {\na')
  check('exports are sold', 'exports are sold')
})

test('removes an export with a template literal of several lines', () => {
  check('export const a = `<div>\n  b\n</div>`;\nc', 'c')
  check('export const a = f(`x\n)`, {\n  y: `z`\n})\nc', 'c')
})

test('keeps exports within a template literal of a component', () => {
  const text = '<Code>\n{`import a from "a"\n\nexport default 1\n`}\n</Code>'
  check(text, text)
})

test('reads comments, regular expressions and types in exports', () => {
  check("export const a = {\n  // it's }\n  b: /[}`]/,\n}\nc", 'c')
  check('export type A = {\n  b: string\n}\nexport interface B {\n  c: 1\n}\nd', 'd')
  check('export type your name', 'export type your name')
})
