import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { addLibrary } from '../../../src/library/add/add.ts'
import type { SearchRequest } from '../../../src/library/library.ts'
import { searchLibraries } from '../../../src/library/search/search.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { lackingSentences } from '../../../src/operation/note.ts'
import { writeFiles, type Files } from '../../support/repository.ts'
import { openTestStore } from '../../support/test-store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-lacking'))
const store = openTestStore(join(temp.path, 'store'))
afterAll(() => store[Symbol.dispose]())

async function addFiles(library: string, files: Files): Promise<void> {
  const folder = join(temp.path, library)
  writeFiles(folder, { 'pyproject.toml': '', ...files })
  const source = { kind: 'local_path', path: folder, baseUrl: `${library}:/` } as const
  await addLibrary(store.opened, { library, version: '1', source, lockTimeoutMs: 60_000 })
}

await addFiles('lamp', {
  'guide.md': '# Guide\n\nCall `Lamp.glow()` on a hook.\n\n## Burner\n\nThe burner heats.\n',
  'lamp/__init__.py':
    '__all__ = ["Lamp", "Torch", "WickTrimmer", "Burner", "on"]\n' +
    'from lamp_core import Torch, Burner\nfrom .parts import Lamp, on\n',
  'lamp/parts.py':
    'import abc\n\nclass Lamp:\n    """Lights."""\n    def ignite(self): "Starts."\n' +
    '\nclass Lantern(abc.ABC):\n    def ignite(self): "Starts."\n\ndef on(): "Lights."\n',
})
await addFiles('acme', {
  'acme.gemspec': '',
  'lib/acme.rb': 'module Acme\nclass Lamp\ndef lit?; end\ndef trim; end\nend\nend\n',
})
await addFiles('zed', {
  'package.json': '{"name": "zed", "types": "index.d.ts"}',
  'index.d.ts': "import * as z from './all';\nexport * from './all';\nexport { z };\n",
  'all.d.ts':
    'export declare function string(): void\nexport declare function number(): void\n' +
    'export declare class Shape { trim(): void }\n',
})
await addFiles('plain', { 'a.md': '# Plain\n\nNo reference. WickTrimmer.\n' })

async function ask(query: string, request: Partial<SearchRequest> = {}) {
  const scope = { library: 'lamp', version: null, limit: 5, judge: true, ...request }
  return await searchLibraries(store.opened, store.entries, { query, ...scope })
}

/** Checks the sentences above the hits. */
async function check(query: string, expected: string[], request: Partial<SearchRequest> = {}) {
  const answer = await ask(query, request)
  expect(lackingSentences(answer)).toEqual(expected)
  if (expected.length > 0) expect(answer.confidence).not.toBe('high')
}

const trimmer =
  'lamp 1 exports WickTrimmer, but the index lacks it: ' +
  'it is without a declaration that og finds. No command adds it.'
const torch = (name: string) =>
  `lamp 1 exports ${name}, but the index lacks it: ` +
  'it is declared in pypi:lamp_core, which was not read. To add it: og add pypi:lamp_core.'

test('names exports that the index lacks, the reason, and the command that adds them', async () => {
  await check('WickTrimmer', [trimmer])
  await check('how do I use the WickTrimmer safely?', [trimmer])
  await check('Torch', [torch('Torch')])
  await check('lamp.Torch', [torch('lamp.Torch')])
  await check('Torch.light()', [torch('Torch')])
})

test('reports no missing name that a guide explains or another searched library defines', async () => {
  await check('Burner', [])
  await check('Torch', [torch('Torch')], { library: null })
  await addFiles('kit', { 'kit/__init__.py': 'class Torch:\n    """Another."""\n' })
  await check('Torch', [], { library: null })
})

test('reports qualified names that a package does not have, with the nearest names', async () => {
  await check('Lamp.ignit', ['lamp 1 has no "Lamp.ignit"; nearest: Lamp.ignite.'])
  await check('why does Lamp.ignit() fail', ['lamp 1 has no "Lamp.ignit"; nearest: Lamp.ignite.'])
  await check('Lamp.on', ['lamp 1 has no "Lamp.on"; nearest: lamp.on.'])
  await check('lamp.ignitee', ['lamp 1 has no "lamp.ignitee".'])
})

test('raises no alarm for names that may exist', async () => {
  // The guide contains it.
  await check('Lamp.glow', [])
  // A base class outside the package may have it.
  await check('Lantern.register', [])
  await check('Lantern.ignit', ['lamp 1 has no "Lantern.ignit"; nearest: Lantern.ignite.'])
  // Ordinary words, variables, addresses and other subjects.
  for (const query of ['lamp', 'torch', 'e.g. parts.of', 'example.com', 'self.lamp', 'Lamp.ignite'])
    await check(query, [])
  // Some names of the module are unknown.
  const open = 'import deep\n__all__ = ["on"]\n__all__ += deep.__all__\ndef on(): "Lights."\n'
  await addFiles('open', { 'open/__init__.py': open })
  await check('open.off', [], { library: 'open' })
  await check('Plain.Wick', [], { library: 'plain' })
})

test('knows names of Ruby that end in a mark, and the constructor of each class', async () => {
  const request = { library: 'acme' }
  await check('Acme::Lamp#lit?', [], request)
  await check('Acme::Lamp.new', [], request)
  await check(
    'Acme::Lamp#trimm',
    ['acme 1 has no "Acme::Lamp#trimm"; nearest: Acme::Lamp#trim.'],
    request,
  )
})

test('knows the names of a module that other modules make up', async () => {
  const request = { library: 'zed' }
  await check('z.strin', ['zed 1 has no "z.strin"; nearest: z.string.'], request)
  await check('call z.Shap()', ['zed 1 has no "z.Shap"; nearest: z.Shape.'], request)
  await check('z.string', [], request)
  await check('y.strin', [], request)
})

test('answers with the most similar name, with weak confidence', async () => {
  for (const query of ['z.strin', 'does z.strin accept null']) {
    const answer = await ask(query, { library: 'zed' })
    expect(answer.confidence).toBe('weak')
    expect(answer.hits[0]!.name).toBe('zed.string')
  }
  const exported = await ask('WickTrimmer')
  expect(exported.confidence).toBe('medium')
})

test('reports a member that none of several classes of one name has', async () => {
  const knob = 'class Knob:\n    def turn(self): "Turns."\n'
  const modules = ['swell', 'choir', 'great', 'solo', 'pedal', 'echo']
  await addFiles('organ', {
    'organ/__init__.py': '',
    'guide.md': '# Organ\n\nIt has pipes.\n',
    ...Object.fromEntries(modules.map((it) => [`organ/${it}/__init__.py`, knob])),
  })
  await check('Knob.turnn', ['organ 1 has no "Knob.turnn"; nearest: Knob.turn.'], {
    library: 'organ',
  })
  await check('Knob.turn', [], { library: 'organ' })
})
