import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { OgError } from '../../../src/platform/error.ts'
import type { Requirement } from '../../../src/api/link/dependency.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { apiEvents, type SourceTree } from '../../../src/source/api/api-events.ts'
import { resolveSource, sourcePages } from '../../../src/source/pages.ts'
import type { SourceEvent } from '../../../src/source/source.ts'
import type { Source } from '../../../src/store/source.ts'
import { commit, writeFiles, type Files } from '../../support/repository.ts'
import { knownBy } from '../../support/servers/site.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

const files: Files = {
  'pyproject.toml': '',
  'docs/use.md': '# Use\n\nLight it.\n',
  'lamp/__init__.py': 'from .wick import Wick\n',
  'lamp/wick.py':
    '"""Wicks."""\n\nclass Wick:\n    """Burns."""\n    def trim(self, mm=1): "Cuts."\n',
  'tests/__init__.py': 'class Test: ...\n',
}

async function read(source: Source, before: SourceEvent[] = []): Promise<SourceEvent[]> {
  const resolved = await resolveSource(source, { version: null, today: new Date() })
  return Array.fromAsync(sourcePages(resolved, { before: knownBy(before) }))
}

const shown = (events: SourceEvent[]) =>
  events.flatMap((event) =>
    event.type === 'page'
      ? [`${event.page.path} ${event.page.title}`]
      : event.type === 'unchanged'
        ? ['same']
        : [],
  )

const guide = 'docs/use.md Use'
const reference = ['lamp/wick.py#L1 lamp.wick', 'lamp/wick.py#L3 lamp.Wick']

test('reads the API of a repository with its guides, alone, or not at all', async () => {
  const folder = join(temp.path, 'lamp')
  commit(folder, files)
  const source: Source = { kind: 'git_repo', url: folder, docsPaths: ['docs'] }
  const events = await read(source)
  expect(shown(events).sort()).toEqual([guide, ...reference])
  expect(shown(await read({ ...source, api: 'only' })).sort()).toEqual(reference)
  expect(shown(await read({ ...source, api: 'none' }))).toEqual([guide])
  expect(shown(await read(source, events))).toEqual(['same', 'same', 'same'])
  const page = events.find((it) => it.type === 'page' && it.page.title === 'lamp.Wick')
  expect(page).toMatchObject({
    page: {
      url: expect.stringMatching(/\/main\/lamp\/wick\.py#L3$/),
      description: 'Burns.',
      text: expect.stringContaining(
        '## `lamp.Wick.trim`\n\n```python\ndef trim(mm=1)\n```\n\nCuts.',
      ),
    },
  })
})

test('parses the API again if one source file has changed', async () => {
  const folder = join(temp.path, 'changed')
  commit(folder, files)
  const source: Source = { kind: 'git_repo', url: folder, docsPaths: ['docs'], api: 'with' }
  const events = await read(source)
  commit(folder, { 'lamp/wick.py': 'class Wick: ...\n' })
  expect(shown(await read(source, events)).sort()).toEqual(['lamp/wick.py#L1 lamp.Wick', 'same'])
})

test('reads the API of a folder without a commit', async () => {
  const path = join(temp.path, 'plain')
  mkdirSync(path)
  writeFiles(path, { ...files, '../secret.py': 'class Secret: ...\n' })
  symlinkSync('../../secret.py', join(path, 'lamp/secret.py'))
  const source: Source = { kind: 'local_path', path, docsPaths: ['docs'] }
  const events = await read(source)
  expect(shown(events).sort()).toEqual([guide, ...reference])
  expect(events).toContainEqual(expect.objectContaining({ path: 'lamp/secret.py' }))
  expect(shown(await read(source, events))).toEqual(['same', 'same', 'same'])
  expect(shown(await read({ ...source, api: 'only' })).sort()).toEqual(reference)
  expect(shown(await read({ ...source, api: 'none' }))).toEqual([guide])
  writeFiles(path, { 'lamp/wick.py': 'class Wick: ...\n' })
  expect(shown(await read(source, events)).sort()).toEqual(['lamp/wick.py#L1 lamp.Wick', 'same'])
})

test('reads the API of a wheel and of an archive with guides', async () => {
  const zip = (name: string, packed: Files) => {
    const path = join(temp.path, name)
    writeFileSync(
      path,
      zipSync(
        Object.fromEntries(
          Object.entries(packed).map(([file, text]) => [file, Buffer.from(text as string)]),
        ),
      ),
    )
    return path
  }
  const source: Source = { kind: 'archive', url: zip('docs.zip', files), docsPaths: ['docs'] }
  const events = await read(source)
  expect(shown(events).sort()).toEqual([guide, ...reference])
  expect(shown(await read(source, events))).toEqual(['same', 'same', 'same'])
  const wheel = zip('lamp.zip', {
    'lamp.py': 'def light(): ...\n',
    'lamp-1.0.dist-info/METADATA': 'Name: lamp\n',
  })
  const both: Source = { ...source, api: 'with', apiArchive: wheel }
  const first = await read(both)
  expect(shown(first).sort()).toEqual([guide, 'lamp.py#L1 lamp'])
  expect(shown(await read(both, first))).toEqual(['same', 'same'])
})

test('skips files that are not text, and reads the other files', async () => {
  const folder = join(temp.path, 'binary')
  commit(folder, { ...files, 'lamp/bad.py': new Uint8Array([0, 255, 1]) })
  const events = await read({ kind: 'git_repo', url: folder, docsPaths: [], api: 'only' })
  expect(shown(events).sort()).toEqual(reference)
  expect(events).toContainEqual({
    type: 'skipped',
    path: 'lamp/bad.py',
    reason: 'binary, not text',
  })
})

test('parses only the files of an npm package that its users can import', async () => {
  const folder = join(temp.path, 'npm')
  commit(folder, {
    'package.json': '{"name":"lamp","exports":{".":"./dist/index.js"}}',
    'src/index.ts': '/** Lights. */\nexport function on(): void {}\nexport * from "./wick"\n',
    'src/wick.ts': 'export class Wick {}\n',
    'src/hidden.ts': 'export class Hidden {}\n',
    'src/bad.ts': new Uint8Array([0, 1]),
  })
  const events = await read({ kind: 'git_repo', url: folder, docsPaths: [], api: 'only' })
  expect(shown(events)).toEqual(['src/index.ts#L1 lamp', 'src/wick.ts#L1 lamp.Wick'])
  expect(events.filter(({ type }) => type === 'skipped')).toEqual([])
})

test('counts public names, and those without a declaration, unless nothing has changed', async () => {
  const folder = join(temp.path, 'names')
  commit(folder, { ...files, 'lamp/__init__.py': 'from .wick import Wick, snuff\n' })
  const source: Source = { kind: 'git_repo', url: folder, docsPaths: ['docs'] }
  const events = await read(source)
  const missing = [{ name: 'lamp.snuff', reason: 'undeclared', from: 'lamp/wick.py' }]
  expect(events).toContainEqual({ type: 'coverage', declared: 3, missing: missing as never })
  const again = await read(source, events)
  expect(again.filter(({ type }) => type === 'coverage')).toEqual([])
})

test('shortens documentation of a large package, and keeps every name', async () => {
  const path = join(temp.path, 'large')
  const text = 'It lights. '.repeat(1000)
  const modules = Array.from({ length: 9 }, (_, i) => {
    const functions = Array.from({ length: 30 }, (_, k) => `def f${i}_${k}():\n    """${text}"""\n`)
    return [`lamp/m${i}.py`, functions.join('\n')]
  })
  mkdirSync(path)
  writeFiles(path, {
    'pyproject.toml': '',
    'README.md': '# Lamp\n\nCall `f8_7` first.\n',
    'lamp/__init__.py': '',
    ...Object.fromEntries(modules),
  })
  const events = await read({ kind: 'local_path', path, docsPaths: [] })
  expect(events.filter(({ type }) => type === 'skipped')).toEqual([])
  const pages = events.flatMap((it) => (it.type === 'page' ? [it.page.text] : [])).join('\n')
  expect(pages.match(/^## `lamp\.m\d\.f/gm)).toHaveLength(270)
  const coverage = events.find((it) => it.type === 'coverage')
  expect(coverage).toMatchObject({ declared: 270, missing: [] })
  const shortened = coverage?.type === 'coverage' ? (coverage.shortened ?? []) : []
  expect(shortened.length).toBeGreaterThan(50)
  expect(shortened.length).toBeLessThan(200)
  expect(shortened).not.toContain('lamp.m8.f8_7')
  expect(pages.match(/It lights\. \[…\]/g)).toHaveLength(shortened.length)
})

test('reads the folders of tests and examples to which exports refers', async () => {
  const folder = join(temp.path, 'exported')
  writeFiles(folder, {
    'package.json': JSON.stringify({
      name: 'exported',
      exports: { './test': './dist/test/index.js', './addons/*': './examples/addons/*' },
    }),
    'dist/test/index.d.ts': 'export function mock(): void',
    'examples/addons/oil.js': 'export function pour() {}',
    'examples/page.js': 'export function page() {}',
    'test/own.js': 'export function own() {}',
  })
  const events = await read({ kind: 'local_path', path: folder, api: 'only' })
  const text = events.map((it) => (it.type === 'page' ? it.page.text : '')).join('\n')
  expect(text.match(/`exported\/[^`]*`/g)).toEqual([
    '`exported/test`',
    '`exported/test.mock`',
    '`exported/addons/oil.js`',
    '`exported/addons/oil.js.pour`',
  ])
})

/** A tree of files in memory; `dependencies` are the files of the packages that can be read. */
type TextFiles = Record<string, string>

function memoryTree(all: TextFiles, dependencies: Record<string, TextFiles> = {}): SourceTree {
  return {
    paths: Object.keys(all),
    addressOf: (path) => `memory:${path}`,
    read: async (path) => Buffer.from(all[path] ?? ''),
    async dependency({ name }) {
      const files = dependencies[name]
      if (files === undefined) throw new OgError(`no ${name}`)
      return { ...memoryTree(files), addressOf: (path) => `${name}:${path}` }
    },
  }
}

const pageText = (events: SourceEvent[]) =>
  events.flatMap((it) => (it.type === 'page' ? it.page.text : []))

async function readTree(tree: SourceTree, name: string): Promise<SourceEvent[]> {
  const source: Source = { kind: 'archive', url: '/a.tgz', docsPaths: [], package: name }
  return Array.fromAsync(apiEvents(tree, { source, before: new Map(), signal: undefined }))
}

const namesOn = (events: SourceEvent[]) =>
  events.flatMap((it) => (it.type === 'page' ? (it.page.text.match(/^#+ `.*/gm) ?? []) : []))

test('follows re-exports into dependencies, and names them by the package that re-exports', async () => {
  const own = {
    'package.json': JSON.stringify({
      name: 'lamp',
      types: 'a.d.ts',
      dependencies: { '@wick/core': '^1.0.0', gone: '2' },
    }),
    'a.d.ts':
      'import { cut as trim } from "@wick/core"\nexport { trim }\nexport * from "@wick/core/oil"\n' +
      'export { lost } from "gone"\nimport { used } from "unused"\n',
  }
  const core = {
    'package.json': '{"name":"@wick/core","exports":{".":"./i.js","./oil":"./oil.js"}}',
    'i.d.ts': 'export * from "./cut"\nexport * from "./other"',
    'cut.d.ts': 'export function cut(): void',
    'other.d.ts': 'export function other(): void',
    'oil.d.ts': 'export function pour(): void',
  }
  const events = await readTree(memoryTree(own, { '@wick/core': core }), 'npm:lamp')
  expect(namesOn(events)).toEqual(['# `lamp`', '## `lamp.trim`', '## `lamp.pour`'])
  expect(events).toContainEqual({ type: 'skipped', path: 'gone', reason: 'no gone' })
})

test('reads the types of a package without types from the package that describes it', async () => {
  const own = {
    'package.json':
      '{"name":"@lamp/oil","version":"3.1.0","exports":{".":"./i.js","./jsx":"./j.js"}}',
    'i.js': 'exports.pour = function () {}\nexports.drain = function (all) {}\n',
    'j.js': 'exports.jsx = 1\n',
  }
  const types = {
    'package.json': '{"name":"@types/lamp__oil","dependencies":{"@types/core":"1"}}',
    'index.d.ts':
      'import * as core from "core"\nexport = Oil\ndeclare namespace Oil {\n' +
      'function pour(mm: number): void\ninterface Can extends core.Can {}\n}\n',
    'canary.d.ts': 'export function hidden(): void',
  }
  const core = {
    'package.json': '{"name":"@types/core"}',
    'index.d.ts': 'export interface Can { /** In ml. */ size: number }',
  }
  const asked: Requirement[] = []
  const tree = memoryTree(own, { '@types/lamp__oil': types, '@types/core': core })
  const { dependency } = tree
  tree.dependency = (requirement, language) => {
    asked.push(requirement)
    return dependency!(requirement, language)
  }
  const events = await readTree(tree, 'npm:@lamp/oil')
  expect(asked[0]).toEqual({ name: '@types/lamp__oil', range: '^3', isOptional: true })
  expect(pageText(events)).toEqual([
    '# `@lamp/oil`\n\n**Classes**\n\n- `@lamp/oil.Can`\n\n' +
      '**Values**\n\n- `drain = function (all)`: The type declarations lack this name.\n\n' +
      '## `@lamp/oil.pour`\n\n```typescript\nfunction pour(mm: number): void\n```\n',
    '# `@lamp/oil.Can`\n\n```typescript\ninterface Can extends core.Can\n```\n\n' +
      '**Attributes**\n\n- `size: number`: In ml.\n',
    '# `@lamp/oil/jsx`\n\n**Values**\n\n- `jsx = 1`\n',
  ])
})

test('reads the distributions on which an empty distribution depends', async () => {
  const own = {
    'lamp-1.dist-info/METADATA':
      'Name: lamp\nRequires-Dist: lamp-slim[all]==1\nRequires-Dist: oil\n',
  }
  const slim = {
    'lamp_slim-1.dist-info/METADATA': 'Name: lamp-slim\n',
    'lamp/__init__.py': 'def light(): "Burns."\n',
  }
  const events = await readTree(memoryTree(own, { 'lamp-slim': slim }), 'pypi:lamp')
  expect(namesOn(events)).toEqual(['# `lamp`', '## `lamp.light`'])
})

test('reads names that a Python package re-exports from a distribution', async () => {
  const own = {
    'lamp-1.dist-info/METADATA': 'Name: lamp\nRequires-Dist: wick-core>=1,<2; python_version>"3"\n',
    'lamp/__init__.py': 'from wick_core import Wick as Wick, status as status, oil\n',
  }
  const core = {
    'wick_core-1.dist-info/METADATA': 'Name: wick-core\n',
    'wick_core/__init__.py': 'from .wick import Wick\nfrom .oil import oil\n',
    'wick_core/wick.py': 'class Wick: "Burns."\n',
    'wick_core/status.py': 'OK = 1\n',
    'wick_core/oil.py': 'def oil(): ...\n',
  }
  const events = await readTree(memoryTree(own, { 'wick-core': core }), 'pypi:lamp')
  expect(namesOn(events)).toEqual(['# `lamp.Wick`', '# `lamp.status`'])
})
