import { beforeEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  bootstrapMemory,
  listMemory,
  readMemory,
  recallMemory,
} from '../../../src/operation/memory/read.ts'
import { openMemoryHome } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)
const memory = openEach(async () => (await home().memories()).session())
beforeEach(() => memory().write({ file: 'MEMORY.md', content: 'The heron eats frogs.' }))

const query = {
  query: 'heron',
  file: null,
  top_k: null,
  tags: [],
  any_tags: [],
  since: null,
  until: null,
  as_of: null,
  offset: null,
  max_tokens: null,
  mode: null,
}

test('search returns hits, with warnings as notes and also under their former key', async () => {
  const { value, notes } = await recallMemory.run(memory(), query)
  expect([value.count, notes]).toEqual([1, []])
  const answer = await recallMemory.run(memory(), { ...query, mode: 'vector' })
  const reason = 'searched by full text only: there is no embedder'
  expect(answer.notes).toEqual([{ kind: 'degraded', reason }])
  expect(recallMemory.json(answer)).toMatchObject({
    mode: 'search',
    warnings: [reason],
    notes: [{ kind: 'degraded', message: reason }],
  })
})

test('search rejects an unknown mode and lists the known ones', async () => {
  await expect(recallMemory.run(memory(), { ...query, mode: 'words' })).rejects.toMatchObject({
    message: 'Cannot use "words" for mode: must be one of hybrid, full-text, vector',
  })
})

test('read returns the requested lines', async () => {
  const input = { file: 'MEMORY.md', start_line: 1, end_line: 1 }
  expect(readMemory.json(await readMemory.run(memory(), input))).toMatchObject({
    mode: 'get',
    content: '# Memory\n',
    start_line: 1,
  })
  const whole = await readMemory.run(memory(), { ...input, start_line: null, end_line: null })
  const content = readFileSync(home().file('MEMORY.md'), 'utf8')
  expect(whole.value).toMatchObject({ start_line: null, content })
})

test('list returns files unless days are requested', async () => {
  const { value } = await listMemory.run(memory(), { target: null, file: null })
  expect(value).toHaveProperty('files')
  const days = await listMemory.run(memory(), { target: 'daily', file: null })
  expect(listMemory.json(days)).toEqual({ daily_files: [], count: 0 })
})

test('bootstrap appends the usage of the tools if there is one', async () => {
  const textOf = async (usage: { toolUsage?: string }) => {
    const answer = await bootstrapMemory.run({ memory: memory(), ...usage }, { task: null })
    return bootstrapMemory.json(answer).content
  }
  expect(await textOf({ toolUsage: '## How to call\n' })).toContain('## How to call')
  expect(await textOf({})).not.toContain('How to call')
})
