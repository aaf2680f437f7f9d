import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import {
  buildBootstrap,
  bootstrapPrompt,
  renderBootstrapPrompt,
} from '../../../src/mcp/memory/memory-prompt.ts'
import { dispatcherUsage } from '../../../src/mcp/memory/memory-text.ts'
import { emptyMemoryText } from '../../../src/operation/memory/read.ts'
import { openMemoryHome } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)

test('returns the bootstrap text as one user message', async () => {
  const { memory } = await home().context()
  await (await memory.session()).write({ file: 'MEMORY.md', content: 'The heron eats frogs.' })
  const { description, messages } = await renderBootstrapPrompt(memory)
  expect(description).toBe(bootstrapPrompt.description)
  const { content } = await buildBootstrap(memory)
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: content } }])
  expect(content).toContain('The heron eats frogs.')
  expect(content).not.toContain(dispatcherUsage)
})

test('returns a message even if memory is empty', async () => {
  const { memory } = await home().context({
    settings: { BOOTSTRAP__INJECT_AGENTS: 'false', BOOTSTRAP__INJECT_RELATIONS: 'false' },
  })
  await memory.session()
  for (const name of ['FIRST_RUN.md', 'MEMORY.md', 'USER.md']) writeFileSync(home().file(name), '')
  expect((await buildBootstrap(memory)).content).toBe('')
  const {
    messages: [message],
  } = await renderBootstrapPrompt(memory)
  expect(message!.content).toEqual({ type: 'text', text: emptyMemoryText })
})

test('adds the usage of memory_tool in dispatcher mode, and the entries for a task', async () => {
  const { memory } = await home().context({
    settings: { DISPATCHER_MODE: 'true', BOOTSTRAP__INJECT_LONG_TERM_MEMORY: 'false' },
  })
  await (await memory.session()).write({ file: 'MEMORY.md', content: 'The heron eats frogs.' })
  const plain = (await buildBootstrap(memory)).content
  expect(plain).toContain('## Tool usage')
  expect(plain).not.toContain('frogs')
  expect((await buildBootstrap(memory, { task: 'what herons eat' })).content).toContain('frogs')
})
