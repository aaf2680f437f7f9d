import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ToolContext } from '../../../src/mcp/docs/docs-tool.ts'
import { openJobs } from '../../../src/mcp/docs/job.ts'
import { renderRefusal } from '../../../src/mcp/docs/render-refusal.ts'
import { searchDocuments } from '../../../src/mcp/docs/search-tool.ts'
import { openMcpHome, type McpHome } from '../../support/mcp.ts'

let home: McpHome
beforeAll(async () => {
  home = await openMcpHome()
  const names = Array.from({ length: 50 }, (_, i) => [`p${i}.md`, `# Gear number${i}\n\nTurn it.\n`])
  await home.add('kit', '1', Object.fromEntries(names))
})
afterAll(async () => home[Symbol.asyncDispose]())

test('what comes from pages cannot leave its line', () => {
  const text = renderRefusal({
    reason: 'no good match in kit 1',
    nearest: [
      { library: 'kit', version: '1', title: '', heading: 'A\n# B', url: 'doc:/a b.md' },
    ],
    suggest: [
      { library: 'lamps', version: '2', command: 'og query x' },
      { library: 'react', version: null, command: 'og add react' },
    ],
  })
  expect(text.split('\n')).toHaveLength(7)
  expect(text).toStartWith('Found 0 matches.\nThere is no good match in kit 1: ')
  expect(text).toContain('lamps 2 matches')
  expect(text).toContain('To add it, run: og add react')
})

test('the tool says that there is no good match', async () => {
  const context: ToolContext = {
    og: home.og,
    jobs: openJobs(['false'], home.env),
    sourceNamed: () => Promise.reject(new Error('nothing is indexed here')),
    knownSources: async () => ['react', 'vue'],
    project: async () => null,
    limit: 5,
    signal: new AbortController().signal,
    report() {},
  }
  const query = 'gear ratio of planetary transmissions in react'
  const { text, structured } = await searchDocuments.run(context, { query, library_name: 'kit' })
  expect(text).toContain('no good match in kit 1')
  expect(structured).toMatchObject({
    matches: 0,
    hits: [],
    reason: 'no good match in kit 1',
    suggest: [{ library: 'react', version: null, command: 'og add react' }],
  })
  expect((structured.nearest as string[])[0]).toStartWith('Gear number')
  const found = await searchDocuments.run(context, { query: 'gear number7' })
  expect(found.structured).toMatchObject({ matches: 5 })
})
