import { expect, test } from 'bun:test'
import { resolveNpmModules } from '../../../src/api/link/npm-package.ts'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

type Files = Record<string, string>

/** Checks the signatures of names that only scripts of a package export. */
function check(files: Files, expected: Record<string, string>, wicks: Files = {}) {
  const folder = 'node_modules/wicks/'
  const dependency = { folder, paths: new Set(Object.keys(wicks)), manifest: '{"main":"a.js"}' }
  const all = { ...files }
  for (const [path, text] of Object.entries(wicks)) all[folder + path] = text
  const declarations = Object.entries(files).filter(([path]) => path.endsWith('.d.ts'))
  const modules = resolveNpmModules(
    new Map(declarations.map(([path, text]) => [path, outlineTypeScript(text)])),
    {
      name: 'lamp',
      manifest: '{"name":"lamp","types":"a.d.ts","module":"a.mjs","main":"a.js"}',
      paths: new Set(Object.keys(all)),
      dependencies: new Map([['wicks', dependency]]),
      pathOf: (path) => path,
      textOf: (path) => all[path] ?? null,
    },
  )
  const found = modules.flatMap((it) => it.symbols.map(({ symbol }) => symbol))
  expect(Object.fromEntries(found.map((it) => [it.qualifiedName, it.signature]))).toEqual(expected)
  expect(modules.flatMap((it) => it.unresolved)).toEqual([])
}

test('adds names that an ECMAScript module exports, through other files and dependencies', () => {
  check(
    {
      'a.d.ts': 'export declare const a: 1\nexport { lost } from "./none"',
      'a.mjs':
        'import { q as cut } from "./chunk.mjs"\nexport const a = 1\nexport * from "./b.mjs"\n' +
        'export * from "wicks"\nexport { cut, lost as default, own as "b-c" }\n' +
        'export async function lost(mm = {}) { return mm }\nconst own = 2;\n',
      'b.mjs': 'export * from "./a.mjs"\nexport * as ns from "./none.mjs"\n',
      'chunk.mjs': 'class Q extends B { }\nexport{Q as q};',
    },
    {
      'lamp.a': 'const a: 1',
      'lamp.lost': 'async function lost(mm = {})',
      'lamp.cut': 'class Q extends B',
      'lamp.b-c': 'const own = 2',
      'lamp.ns': 'ns',
      'lamp.trim': 'function trim()',
    },
    { 'a.js': 'export function trim() {\n}\n' },
  )
})

test('adds names that a CommonJS module exports', () => {
  check(
    {
      'a.d.ts': 'export declare const a: 1',
      'a.js':
        'if (process.env.X) {\n  module.exports = require("./b.js");\n}\n' +
        'exports.a = exports.c = void 0;\nexports.b = function (x) {\n  exports.inner = 1\n};\n' +
        'exports.Old = Wick; // deprecated\n',
      'b.js':
        'var ws = 1;\n__exportStar(require("./c"), exports);\n' +
        '0 && (module.exports = {\n  ws, // sockets\n  cut: trim\n});\nfunction trim(mm) {}\n',
      'c/index.js': 'module.exports = { oil }\n',
    },
    {
      'lamp.a': 'const a: 1',
      'lamp.b': 'b = function (x)',
      'lamp.Old': 'Old = Wick; // deprecated',
      'lamp.ws': 'var ws = 1',
      'lamp.cut': 'function trim(mm)',
      'lamp.oil': 'oil',
    },
  )
})

test('documents such a name with the comment of its declaration', () => {
  const [module] = resolveNpmModules(new Map([['a.d.ts', outlineTypeScript('export {}')]]), {
    name: 'lamp',
    manifest: '{"name":"lamp","types":"a.d.ts","main":"a.js"}',
    paths: new Set(['a.d.ts', 'a.js']),
    pathOf: (path) => `lib/${path}`,
    textOf: () => '\n/**\n * Cuts.\n * @deprecated use trim\n */\nexport function cut() {}\n',
  })
  expect(module!.symbols).toMatchObject([
    {
      path: 'lib/a.js',
      symbol: {
        kind: 'function',
        line: 6,
        documentation: 'The type declarations lack this name.\n\nCuts.',
        deprecated: 'use trim',
      },
    },
  ])
})
