import { expect, test } from 'bun:test'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

/** Checks the signatures of exported names and their members, and their documentation. */
function check(text: string, expected: Record<string, string[]>) {
  const { symbols, exported } = outlineTypeScript(text)
  const locals = new Set(exported?.map(({ local }) => local))
  const visible = symbols.filter(({ name }) => locals.has(name))
  const lineOf = ({ kind, signature, documentation }: (typeof symbols)[number]) =>
    `${kind} ${signature}${documentation === '' ? '' : ` // ${documentation}`}`
  const linesOf = (it: (typeof symbols)[number]): string[] => [it, ...it.members].map(lineOf)
  const found = visible.map((it) => [it.name, linesOf(it)] as const)
  expect(Object.fromEntries(found)).toEqual(expected)
}

test('reads types that comments declare', () => {
  check(
    `/**
 * How a lamp burns.
 * @typedef {Object} Options
 * @property {string} wick - The wick.
 * @property {number} [mm=3] Its size.
 */
/** @typedef {string | { a: number }} Id */
/**
 * Called when lit.
 * @callback Lit
 * @param {number} at The time.
 * @param [more]
 * @returns {boolean}
 * @typedef Torch
 */
/** @typedef */
exports.light = function () {}
`,
    {
      light: ['function light = function ()'],
      Options: [
        'interface interface Options // How a lamp burns.',
        'value wick: string // The wick.',
        'value mm?: number // Its size. Default: `3`.',
      ],
      Id: ['type type Id = string | { a: number }'],
      Lit: [
        'type type Lit = (at: number, more?: any) => boolean // ' +
          'Called when lit.\n\n**Parameters**\n\n- `at` (`number`): The time.\n- `more`\n\n' +
          '**Returns** (`boolean`)',
      ],
      Torch: ['type type Torch'],
    },
  )
})

test('adds members that statements assign to functions, classes and their prototypes', () => {
  check(
    `/** Makes a lamp. */
function Lamp(mm) {}
util.inherits(Lamp, Base)
/** Lights it. */
Lamp.prototype.light = Lamp.prototype.on = function (at) {}
Lamp.prototype.size = 3
/** Creates one. */
Lamp.create = (a) => new Lamp(a)
class Wick { trim() {} }
Wick.prototype = { /** Cuts. */ cut(mm) {}, mm: 1, trim() {} }
Wick.prototype.wet = false
exports.Oil = function Oil() {}
exports.Oil.prototype.pour = function () {}
exports.Oil.prototype = Object.create(Lamp.prototype);
unknown.prototype.lost = 1
exports.Lamp = Lamp
exports.Wick = Wick
`,
    {
      Lamp: [
        'class function Lamp(mm) // Makes a lamp.',
        'method light = function (at) // Lights it.',
        'method on = function (at) // Lights it.',
        'value size = 3',
        'method create = (a) => … // Creates one.',
      ],
      Wick: ['class class Wick', 'method trim()', 'method cut(mm) // Cuts.', 'value wet = false'],
      Oil: ['class Oil = function Oil()', 'method pour = function ()'],
    },
  )
  const { symbols } = outlineTypeScript(
    'function A() {}\nrequire("util").inherits(A, B)\nfunction C() {}\ninherits(C, b.D);\n' +
      'function E() {}\nE.prototype = Object.create(F.prototype)\nE.prototype.__proto__ = G.prototype;\n',
  )
  expect(symbols.map(({ bases }) => bases)).toEqual([['B'], ['b.D'], ['F', 'G']])
})

test('reads the functions and documented values of objects', () => {
  check(
    `const app = exports = module.exports = {}
/** Uses. */
app.use = function use(fn) {}
exports.other = {
  /** Lights. */
  light: function (a) {}, dim: () => 1, size: 3, /** Mm. */ mm: 2, /** @private */ hidden() {},
}
`,
    {
      app: ['value const app = exports = module.exports = {}'],
      use: ['method use = function use(fn) // Uses.'],
      other: [
        'value other = { light: function (a) {}, dim: () => 1, size: 3, mm: 2, hidden() {} }',
        'method light = function (a) // Lights.',
        'method dim = () => …',
        'value mm = 2 // Mm.',
      ],
    },
  )
  check('module.exports = { light(a) {}, size: 3, Wick, cut: trim, b: require("./b") }', {
    light: ['function light(a)'],
    size: ['value size = 3'],
  })
})
