import { expect, test } from 'bun:test'
import {
  npmNeeds,
  npmReexportSources,
  resolveNpmModules,
} from '../../../src/api/link/npm-package.ts'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'

function place(manifest: object, files: string[] | Record<string, string>) {
  const paths = new Set(Array.isArray(files) ? files : Object.keys(files))
  return { name: 'x', manifest: JSON.stringify(manifest), paths, pathOf: (path: string) => path }
}

const files = {
  'index.d.ts':
    'export * from "./wick.js"\nexport * as oil from "./oil.js"\nexport default class Lamp {}\n',
  'wick.d.ts':
    'import { Q } from "./q.js"\ndeclare class Wick {}\nexport { Wick, Wick as Old, Q }\n',
  'oil.d.ts': 'export declare function burn(): void\nexport { burn as default }\n',
  'q.d.ts': 'export interface Q { a: 1 }\ninterface Hidden {}\n',
  'unused.d.ts': '',
}

test('follows exports through files, namespaces and renames', () => {
  const own = place({ name: 'lamp', types: 'index.d.ts' }, files)
  expect(namesOf(files, own)).toEqual(
    ['lamp.Lamp', 'lamp.Old → lamp.Wick', 'lamp.Q', 'lamp.Wick', 'lamp.oil.burn'].sort(),
  )
})

function namesOf(texts: Record<string, string>, own: ReturnType<typeof place>): string[] {
  const outlines = new Map(
    Object.entries(texts).map(([path, text]) => [path, outlineTypeScript(text)]),
  )
  const names = resolveNpmModules(outlines, own).flatMap((module) => [
    ...module.symbols.map(({ symbol }) => symbol.qualifiedName),
    ...module.aliases.map(({ name, of }) => `${module.name}.${name} → ${of}`),
  ])
  return names.sort()
}

test('names a symbol by the main entry point, though another one declares it', () => {
  const texts = {
    'index.d.ts': 'export { trim, trim as cut } from "./core.js"\n',
    'core.d.ts': 'export declare function trim(): void\nexport declare function fill(): void\n',
  }
  const exports = { '.': './index.d.ts', './core': './core.d.ts' }
  expect(namesOf(texts, place({ name: '@a/lamp', exports }, texts))).toEqual([
    '@a/lamp.cut → @a/lamp.trim',
    '@a/lamp.trim',
    '@a/lamp/core.fill',
    '@a/lamp/core.trim → @a/lamp.trim',
  ])
})

/** Checks the names of a package of one file. */
function checkNames(text: string, expected: string[]) {
  expect(namesOf({ 'a.d.ts': text }, place({ name: 'lamp', types: 'a.d.ts' }, ['a.d.ts']))).toEqual(
    expected,
  )
}

test('lists the members of namespaces', () => {
  checkNames(
    `export declare namespace oil.tank { function fill(): void; namespace deep { const z: 1 } }
export namespace wick { function hidden(): void; export function cut(): void }
declare function trim(): void
declare namespace all { export { trim as cut, Q as P } }
import { Q } from './q'
export { all as ns }
export { X } ; import X = oil.tank.fill
export import Y = oil.tank.fill`,
    [
      'lamp.Y',
      'lamp.ns.cut',
      'lamp.oil.tank.deep.z',
      'lamp.oil.tank.fill → lamp.Y',
      'lamp.wick.cut',
    ],
  )
})

test('places namespaces and declared modules at the line of their declaration', () => {
  const text =
    '\nexport declare namespace oil {\n  namespace tank {\n    const z: 1\n  }\n}\n' +
    'declare module "lamp/wick" { const y: 1 }\n'
  const own = place({ name: 'lamp', types: 'a.d.ts' }, ['a.d.ts'])
  const modules = resolveNpmModules(new Map([['a.d.ts', outlineTypeScript(text)]]), own)
  const lines = modules.map(({ name, line }) => [name, line])
  expect(Object.fromEntries(lines)).toEqual({
    lamp: undefined,
    'lamp.oil': 2,
    'lamp.oil.tank': 3,
    'lamp/wick': 7,
  })
})

test('lists modules and globals that a file declares, and adds to its own modules', () => {
  checkNames(
    `declare module "lamp" { export function light(): void; interface Q {} }
declare module "lamp/oil" { function burn(): void; export { burn as default } }
declare module "react" { interface Attributes { css?: string } }
declare global { var lamp: 1 }`,
    ['global.lamp', 'lamp.Q', 'lamp.light', 'lamp/oil.burn', 'react.Attributes'],
  )
})

test('excludes the names of a global script to which a module refers', () => {
  const texts = {
    'a.d.ts': '/// <reference path="g.d.ts" />\nexport declare function light(): void',
    'g.d.ts': 'interface HTMLElement {}',
  }
  const own = place({ name: 'lamp', types: 'a.d.ts' }, texts)
  expect(namesOf(texts, own)).toEqual(['lamp.light'])
  const script = { ...texts, 'a.d.ts': texts['a.d.ts'].replace('export ', '') }
  expect(namesOf(script, own)).toEqual(['lamp.HTMLElement', 'lamp.light'])
})

test('lists the members of the namespace or object that an export assignment names', () => {
  checkNames('declare namespace a { function b(): void; namespace c { const d: 1 } }\nexport = a', [
    'lamp.b',
    'lamp.c.d',
  ])
  checkNames('declare namespace a.b { class C {} }\nexport = a.b', ['lamp.C'])
})

test('lists the files from which a file re-exports public names', () => {
  const own = place({ imports: { '#t/*': './types/*.d.ts' } }, [
    ...Object.keys(files),
    'types/a.d.ts',
  ])
  const of = (text: string) => npmReexportSources('index.d.ts', outlineTypeScript(text), own)
  expect(of(files['index.d.ts'])).toEqual(['wick.d.ts', 'oil.d.ts'])
  expect(of('import { A } from "#t/a"\nexport { A }')).toEqual(['types/a.d.ts'])
  expect(of('import { A } from "../../x"\nexport { A }\nimport "./q.js"')).toEqual([])
})

test('needs the package that describes an untyped dependency', () => {
  const own = place(
    { name: 'lamp', types: 'a.d.ts', dependencies: { wick: '1', '@types/wick': '^1.2' } },
    ['a.d.ts'],
  )
  const outlines = new Map([['a.d.ts', outlineTypeScript('export { cut } from "wick"')]])
  const wick = { folder: 'node_modules/wick/', paths: new Set(['index.js']), manifest: '{}' }
  const needs = npmNeeds(outlines, { ...own, dependencies: new Map([['wick', wick]]) })
  expect([...needs.packages.values()]).toEqual([{ name: '@types/wick', range: '^1.2' }])
  const types = {
    folder: 'node_modules/@types/wick/',
    paths: new Set(['index.d.ts']),
    manifest: '{}',
  }
  const dependencies = new Map([
    ['wick', wick],
    ['@types/wick', types],
  ])
  expect([...npmNeeds(outlines, { ...own, dependencies }).files]).toEqual([
    'node_modules/@types/wick/index.d.ts',
  ])
})

test('says where names without a declaration should be', () => {
  const lamp = {
    'index.d.ts':
      'import { Oil } from "@fuel/oil/thin"\nimport { Wick } from "./gone.js"\n' +
      'export { Oil, Wick }\nexport * from "ignite"\nexport * from "./deep.js"\n',
    'deep.d.ts':
      'export { Spark } from "node:fire"\nexport { Stats } from "fs"\nexport { default } from "./gone.js"\n' +
      'export { Burner }\n',
  }
  const exports = { '.': './index.js', './test': './test.js', './a.css': './a.css' }
  const own = place({ name: 'lamp', exports }, lamp)
  const outlines = new Map(
    Object.entries(lamp).map(([path, text]) => [path, outlineTypeScript(text)]),
  )
  const modules = resolveNpmModules(outlines, own)
  expect(
    modules
      .flatMap(({ unresolved }) => unresolved.map((it) => `${it.reason} ${it.from} ${it.name}`))
      .sort(),
  ).toEqual([
    'absent ./gone.js in index.d.ts lamp.Wick',
    'absent ./test.js lamp/test.*',
    'dependency node:fire lamp.Spark',
    'dependency node:fs lamp.Stats',
    'dependency npm:@fuel/oil lamp.Oil',
    'dependency npm:ignite lamp.*',
    'undeclared deep.d.ts lamp.Burner',
  ])
})
