import { expect, test } from 'bun:test'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

/**
 * References are written as `name=original@module`, with `+` before re-exports; exported names as
 * `name=local`.
 */
function check(text: string, references: string[], exported: string[]) {
  const outline = outlineTypeScript(text)
  expect(
    outline.references.map(
      (it) => `${it.isPassedOn ? '+' : ''}${it.name}=${it.original}@${it.module}`,
    ),
  ).toEqual(references)
  expect(outline.exported?.map(({ name, local }) => `${name}=${local}`)).toEqual(exported)
}

test('reads imports and re-exports', () => {
  check(
    `import d, { a as b, type C } from './x.js'
import * as z from './z'
export * from './s.js'
export * as ns from './n'
export type * from './t'
export { e as f, type G, default } from './g'
export { b, type C as D, z as default }
`,
    [
      'b=a@./x.js',
      'C=C@./x.js',
      'd=default@./x.js',
      'z=null@./z',
      '+*=*@./s.js',
      '+ns=null@./n',
      '+*=*@./t',
      '+f=e@./g',
      '+G=G@./g',
      '+default=default@./g',
    ],
    ['b=b', 'D=C', 'default=z'],
  )
})

test('reads default exports, export assignments and CommonJS exports', () => {
  check('export default class A {}', [], ['default=A'])
  check('declare class A {}\nexport = A;', [], ['default=A', 'A=A'])
  check(
    'declare function a(): void;\ndeclare namespace a { class B {} }\nexport = a;',
    [],
    ['default=a', 'a=a', 'B=B'],
  )
  check('exports.a = b\nmodule.exports.c = d', [], ['a=b', 'c=d'])
  check('module.exports = { a, b: c }', [], ['a=a', 'b=c'])
})

test('reads reserved words, strings and comments in lists of names', () => {
  check(
    `import { in as X, a, /** of {@link a} */ b } from './x'
import { do as Y } from './y'; import E, { "b-c" as c, default as F } from './z'
export { Y as default, X as in, a as "b-c" }
export { delete, "x y" as z } from './q'
export * as default from './r'
export * as "n m" from './s'
`,
    [
      'X=in@./x',
      'a=a@./x',
      'b=b@./x',
      'Y=do@./y',
      'c=b-c@./z',
      'F=default@./z',
      'E=default@./z',
      '+delete=delete@./q',
      '+z=x y@./q',
      '+default=null@./r',
      '+n m=null@./s',
    ],
    ['default=Y', 'in=X', 'b-c=a'],
  )
})

test('reads lists of minified code', () => {
  check(
    'import{t as e}from"./a.js";var x=1;export{x as in,e as t};',
    ['e=t@./a.js'],
    ['in=x', 't=e'],
  )
})
