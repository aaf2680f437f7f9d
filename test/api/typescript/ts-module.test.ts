import { expect, test } from 'bun:test'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

/**
 * References are written as `name=original@module`, with `+` before re-exports; exported names as
 * `name=local`.
 */
function check(text: string, references: string[], exported: string[] | undefined) {
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

test('reads what compilers and hand-written CommonJS modules export', () => {
  check(
    `const a = require('./a'), { b, c: d } = require('./b')
exports.a = exports.default = a
exports.light = function (oil) {}
exports.off = void 0
exports.wick = require('./wick').Wick
__exportStar(require("./all"), exports)
Object.defineProperty(exports, "got", { enumerable: true, get: function () { return a.got; } });
`,
    ['a=default@./a', 'a=null@./a', 'b=b@./b', 'd=c@./b', '+wick=Wick@./wick', '+*=*@./all'],
    ['a=a', 'default=a', 'light=light', 'got=a.got'],
  )
  check('module.exports = require("./lib")', ['+*=*@./lib'], [])
  check('exports = module.exports = class Lamp {}', [], ['default=Lamp', 'Lamp=Lamp'])
})

test('reads imports with an equals sign, patterns and anonymous default exports', () => {
  check(
    'import a = require("./a")\nexport import b = N.B\nexport as namespace G\n',
    ['a=default@./a', 'a=null@./a'],
    ['b=N.B'],
  )
  check('export const { a, b: c } = make(), [d] = all', [], ['a=a', 'c=c', 'd=d'])
  check('export default { a: 1 }', [], ['default=default'])
  expect(outlineTypeScript('export default function () {}').symbols[0]?.name).toBe('default')
})

test('follows references to other declaration files', () => {
  check('/// <reference path="globals.d.ts" />\n', ['+*=*@./globals.d.ts'], undefined)
})
