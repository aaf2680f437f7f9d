/** Tests that shortened answers end with whole words and that highlights cover whole words. */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld } from '../../support/e2e.ts'
import { openMcpProcess } from '../../support/executable/mcp-process.ts'

const words = Array.from({ length: 400 }, (_, i) => `marmalade${i}spread`)
const paragraph = `Descaling begins. ${words.join(' ')}`
const known = new Set(paragraph.match(/[a-z0-9]+/gi))

/**
 * @returns the number of words in the text, after checking that each is a whole word of the page
 */
function wholeWordsOf(text: string): number {
  const found = text.match(/marm[a-z0-9]*/g) ?? []
  for (const word of found) expect(known).toContain(word)
  expect(text).not.toMatch(/^\s*"?(?:#{1,6}|[-*+>])\s*(?:"|$)/m)
  expect(text).not.toMatch(/: "#{1,6}\s*"/)
  return found.length
}

test('a shortened answer ends with a whole word', async () => {
  await using world = await createWorld()
  const env = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  const docs = join(world.folder, 'docs')
  mkdirSync(docs)
  writeFileSync(join(docs, 'a.md'), `## Middleware of the boiler\n\n${paragraph}\n`)
  await world.og(['add', 'a', '-s', docs, '-v', '1', '--base-url', 'doc:/'])
  await world.og(['memory', 'write', paragraph], { env })
  await using mcp = await openMcpProcess(world)
  const counts: number[] = []
  for (let tokens = 50; tokens < 700; tokens += 47) {
    const max = ['--max-tokens', `${tokens}`]
    const { stdout } = await world.og(['query', 'descaling', ...max])
    counts.push(wholeWordsOf(stdout))
    wholeWordsOf((await world.og(['memory', 'search', 'descaling', ...max], { env })).stdout)
    if (tokens < 200) continue
    const asked = { query: 'descaling', max_tokens: tokens }
    wholeWordsOf(await mcp.text('search_documents_tool', asked))
    const page = { url: 'doc:/a.md', version: '1', max_tokens: tokens }
    wholeWordsOf(await mcp.text('get_full_content_tool', page))
  }
  expect(counts[0]).toBe(0)
  expect(counts.at(-1)).toBeGreaterThan(10)
  expect((await world.og(['memory', 'bootstrap'], { env })).exitCode).toBe(0)
})
