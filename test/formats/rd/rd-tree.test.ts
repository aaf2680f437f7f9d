import { expect, test } from 'bun:test'
import { parseRdTree } from '../../../src/formats/rd/rd-tree.ts'

test('reads macros, their options and their arguments', () => {
  expect(parseRdTree('\\link[utils:head]{head} a \\href{u}{\\strong{b}}\\dots{}c')).toEqual([
    { name: 'link', args: [['head']] },
    ' a ',
    { name: 'href', args: [['u'], [{ name: 'strong', args: [['b']] }]] },
    { name: 'dots', args: [] },
    'c',
  ])
})

test('gives items two arguments only where they have names', () => {
  const item = { name: 'item', args: [] }
  expect(parseRdTree('\\arguments{\\item{x} {y}}')).toEqual([
    { name: 'arguments', args: [[{ name: 'item', args: [['x'], ['y']] }]] },
  ])
  expect(parseRdTree('\\itemize{\\item{x} {y}}')).toEqual([
    { name: 'itemize', args: [[item, 'x y']] },
  ])
})

test('keeps braces and escapes of R code', () => {
  const codeOf = (text: string) => parseRdTree(`\\examples{${text}}z`)
  const code = (...args: string[]) => [{ name: 'examples', args: [args] }, 'z']
  expect(codeOf('f <- function(x) { x \\%in\\% y }')).toEqual(code('f <- function(x) { x %in% y }'))
  expect(codeOf(`cat("}\\\\n", '\\"', "\\"}")`)).toEqual(code(`cat("}\\n", '\\"', "\\"}")`))
  expect(codeOf(`# don't {}\nx`)).toEqual(code(`# don't {}\nx`))
  expect(codeOf(`"\\n"`)).toEqual(code(`"\\n"`))
})

test('removes comments, with their line if nothing else is on it', () => {
  expect(parseRdTree('a % b\n  % c\nd \\% e')).toEqual(['a \n  d % e'])
})

test('keeps the parts for Unix', () => {
  expect(
    parseRdTree(
      'a\n#ifdef windows\nb\n#ifdef unix\nc\n#endif\n#endif\n#ifndef windows\nd\n#endif\n',
    ),
  ).toEqual(['a\nd\n'])
})

test('reads unbalanced text to its end', () => {
  expect(parseRdTree('}a\\code{b')).toEqual(['a', { name: 'code', args: [['b']] }])
})

test('reads a page of nested conditions as long as a page may be', () => {
  const nested = '#ifdef unix\n'.repeat(600_000)
  expect(parseRdTree(`${nested}a`)).toEqual(['a'])
})
