import { expect, test } from 'bun:test'
import { compareWithPages } from '../../src/api/coverage.ts'
import { resolveGoPackages } from '../../src/api/link/go-module.ts'
import { resolveJavaPackages } from '../../src/api/link/java-module.ts'
import { resolveNpmModules } from '../../src/api/link/npm-package.ts'
import { languages } from '../../src/api/language.ts'
import { apiPages } from '../../src/api/render.ts'
import { outlineTypeScript } from '../../src/api/typescript/typescript.ts'
import type { FileOutline } from '../../src/api/symbol.ts'

const { style } = languages.typescript
const { separator } = style

function linkLamp(
  files: Record<string, string>,
  exports: object = { '.': './a.js', './more': './b.js' },
) {
  const outlines = new Map(
    Object.entries(files).map(([path, text]) => [path, outlineTypeScript(text)]),
  )
  const manifest = JSON.stringify({ name: 'lamp', exports })
  const paths = new Set(Object.keys(files))
  return resolveNpmModules(outlines, { name: 'lamp', manifest, paths, pathOf: (path) => path })
}

test('finds names of symbols, aliases and values on their pages', () => {
  const modules = linkLamp({
    'a.d.ts':
      'export declare class Lamp {}\nexport declare const size: number\n' +
      'export declare function on(): void\nexport { Lamp as Torch }\nexport { Wick } from "wicks"\n',
    'b.d.ts': 'export * from "./a.js"\n',
  })
  const kept = apiPages(modules, style)
  const { declared, missing } = compareWithPages(modules, { separator, kept, dropped: [] })
  expect(declared).toBe(10)
  expect(missing.map(({ name, reason }) => `${reason} ${name}`)).toEqual([
    'dependency lamp.Wick',
    'dependency lamp/more.Wick',
  ])
})

test('compares the modules to which a pattern of exports refers', () => {
  const files = {
    'parts/a.d.ts': 'export declare const size: 1\nexport { Wick } from "wicks"\n',
    'parts/b.d.ts': 'export { lost }\n',
  }
  const modules = linkLamp(files, { './*': './parts/*.js', './none/*': './none/*.js' })
  const kept = apiPages(modules, style)
  expect(compareWithPages(modules, { separator, kept, dropped: [] })).toEqual({
    declared: 3,
    missing: [
      { name: 'lamp/a.Wick', reason: 'dependency', from: 'npm:wicks' },
      { name: 'lamp/b.lost', reason: 'undeclared', from: 'parts/b.d.ts' },
    ],
  })
})

test('reports names on dropped pages, and names that no page shows', () => {
  const modules = linkLamp({
    'a.d.ts': 'export declare class Lamp {}\nexport declare function on(): void\n',
    'b.d.ts': '',
  })
  const pages = apiPages(modules, style)
  const [lamp, others] = [
    pages.filter(({ title }) => title === 'lamp.Lamp'),
    pages.filter(({ title }) => title !== 'lamp.Lamp'),
  ]
  const { missing } = compareWithPages(modules, { separator, kept: [], dropped: lamp })
  expect(others).toHaveLength(1)
  expect(missing).toEqual([
    { name: 'lamp.Lamp', reason: 'limit', from: 'a.d.ts' },
    { name: 'lamp.on', reason: 'undeclared', from: 'a.d.ts' },
  ])
})

test('counts the unknown names of a file that cannot be parsed', () => {
  const failed: FileOutline = {
    documentation: '',
    symbols: [],
    references: [],
    exported: [],
    exportedOf: [],
    failure: 'it took over 10 s',
  }
  const go = resolveGoPackages(
    new Map([
      ['a.go', failed],
      ['b.go', { ...failed, failure: undefined, packageName: 'lamp' } as FileOutline],
    ]),
    (path) => path,
  )
  const java = resolveJavaPackages(new Map([['x/Lamp.java', failed]]), (path) => path)
  const manifest = JSON.stringify({ name: 'lamp', main: 'a.js' })
  const own = { name: 'lamp', manifest, paths: new Set(['a.js']), pathOf: (path: string) => path }
  const npm = resolveNpmModules(new Map([['a.js', failed]]), own)
  expect([go, java, npm].map((all) => all.flatMap(({ unresolved }) => unresolved))).toEqual([
    [{ name: 'lamp.*', reason: 'unread', from: 'a.go' }],
    [{ name: 'Lamp', reason: 'unread', from: 'x/Lamp.java' }],
    [{ name: 'lamp.*', reason: 'unread', from: 'a.js' }],
  ])
})
