import { expect, test } from 'bun:test'
import { fullContentTool } from '../../../src/mcp/face.ts'
import type { ToolContext } from '../../../src/mcp/docs/docs-tool.ts'
import { openJobs } from '../../../src/mcp/ingest/job.ts'
import { renderWithheld, searchDocumentsTool } from '../../../src/mcp/docs/search-tool.ts'
import { renderSuggestions } from '../../../src/mcp/docs/render.ts'
import { openMcpHome } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const home = disposeAfterAll(await openMcpHome())
const names = Array.from({ length: 50 }, (_, i) => [`p${i}.md`, `# Gear number${i}\n\nTurn it.\n`])
await home.add('kit', '1', Object.fromEntries(names))

test('keeps text from pages on its own line', () => {
  const doubt = {
    reason: 'no good match in kit 1',
    nearest: [{ library: 'kit', version: '1', title: '', heading: 'A\n# B', url: 'doc:/a b.md' }],
    suggest: [
      { library: 'lamps', version: '2', command: 'og query x' },
      { library: 'react', version: null, command: 'og add react' },
    ],
  }
  const text = renderWithheld(doubt)
  expect(text.split('\n')).toHaveLength(7)
  expect(text).toStartWith('Found 0 matches.\nThere is no good match in kit 1. Without strict, ')
  expect(text).toEndWith(renderSuggestions(doubt.suggest))
  expect(text).toContain('Perhaps in lamps 2: search it by library_name.')
  expect(text).toContain('To add it, run: og add react')
})

function contextOf(og: ToolContext['og']): ToolContext {
  return {
    og,
    jobs: openJobs({ self: ['false'], env: home.env, store: async () => home.path }),
    resolveSource: () => Promise.reject(new Error('nothing is indexed here')),
    knownSources: async () => ['react', 'vue', 'kits'],
    canSee: null,
    project: async () => null,
    answerShape: 'og' as const,
    limit: 5,
    signal: new AbortController().signal,
    report() {},
  }
}

const query = 'gear ratio of planetary transmissions in react'

test('shows the nearest passages and says that none is clearly relevant', async () => {
  const context = contextOf(home.og)
  const { text, structured } = await searchDocumentsTool.run(context, {
    query,
    library_name: 'kit',
  })
  const suggest = [{ library: 'react', version: null, command: 'og add react' }]
  expect(text).toStartWith('Found 5 matches in kit 1. ')
  expect(text).toContain('\nNo passage is clearly about this; nearest:\n1. ')
  expect(text).toMatch(/\nAlso: p\d+(?:, p\d+)+\n/)
  expect(text).toEndWith('\nreact is not indexed. To add it, run: og add react\n')
  expect(structured).toMatchObject({
    matches: 5,
    confidence: 'weak',
    reason: 'no good match in kit 1',
    suggest,
  })
  expect((structured.nearest as string[])[0]).toStartWith('Gear number')
  const found = await searchDocumentsTool.run(context, { query: 'gear number7' })
  expect(found.structured).toMatchObject({ matches: 1, confidence: 'high' })
  expect(found.structured).not.toHaveProperty('reason')
  expect(found.text).not.toContain('clearly')
})

test('withholds weak hits with `strict` and says how to see them', async () => {
  const { text, structured } = await searchDocumentsTool.run(contextOf(home.og), {
    query,
    library_name: 'kit',
    strict: true,
  })
  expect(text).toContain('no good match in kit 1. Without strict, the nearest passages are shown.')
  expect(structured).toMatchObject({
    matches: 0,
    confidence: 'weak',
    hits: [],
    reason: 'no good match in kit 1',
  })
})

test('accepts a library name with a version', async () => {
  const context = contextOf(home.og)
  const ask = (library_name: string, more = {}) =>
    searchDocumentsTool.run(context, { query: 'gear number7', library_name, ...more })
  expect((await ask('kit@1')).structured).toMatchObject({ matches: 1, confidence: 'high' })
  expect((await ask('kit@3')).structured.message).toContain("Version '3' not found")
  expect(ask('kit@1', { version: '2' })).rejects.toThrow('it contains another version')
  const { hits } = (await ask('kit@1')).structured as { hits: { url: string }[] }
  const page = await fullContentTool.run(context, {
    url: hits[0]!.url,
    version: '1',
    library_name: 'kit@1',
  })
  expect(page.structured.found).toBe(true)
})

test('reports an empty store and suggests only libraries that are not indexed', async () => {
  await using empty = await openMcpHome()
  const { text, structured } = await searchDocumentsTool.run(contextOf(empty.og), { query })
  expect(text).toStartWith('Nothing is indexed on this machine')
  expect(structured).toMatchObject({
    matches: 0,
    message: text,
    add_command: 'og add LIBRARY --source GIT_URL_OR_FOLDER',
  })
  const context = { ...contextOf(home.og), knownSources: async () => ['kit'] }
  const slip = await searchDocumentsTool.run(context, { query, library_name: 'kitt' })
  expect(slip.structured.add_command).toBe('og add kitt --source GIT_URL_OR_FOLDER')
})

test('begins with the names that the index lacks', async () => {
  await home.add('lamp', '1', {
    'pyproject.toml': '',
    'guide.md': '# Guide\n\nLight it.\n',
    'lamp/__init__.py': '__all__ = ["on", "Wick"]\nfrom wicks import Wick\ndef on(): "Lights."\n',
  })
  const asked = { query: 'Wick', library_name: 'lamp' }
  const { text, note, structured } = await searchDocumentsTool.run(contextOf(home.og), asked)
  expect(text).toStartWith(
    'lamp 1 exports Wick, but the index lacks it: it is declared in pypi:wicks, which was not ' +
      'read. To add it: og add pypi:wicks.\nFound ',
  )
  expect(note).toBeUndefined()
  expect(structured).toMatchObject({ confidence: expect.stringMatching(/weak|medium/) })
  expect((structured as { notes: object[] }).notes[0]).toMatchObject({
    kind: 'lacking-name',
    name: 'Wick',
    command: 'og add pypi:wicks',
  })
})
