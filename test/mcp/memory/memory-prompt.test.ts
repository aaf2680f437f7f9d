import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import {
  bootstrapOf,
  bootstrapPrompt,
  renderBootstrapPrompt,
} from '../../../src/mcp/memory/memory-prompt.ts'
import { toolUsage } from '../../../src/mcp/memory/memory-text.ts'
import { noMemory } from '../../../src/operation/memory/read.ts'
import { openMemoryHome, type MemoryHome } from '../../support/memory/mcp-memory.ts'

let home: MemoryHome
beforeEach(async () => void (home = await openMemoryHome()))
afterEach(async () => home[Symbol.asyncDispose]())

test('the prompt is one message of the user: what the session would be told', async () => {
  const { memory } = await home.context()
  await (await memory.session()).write({ file: 'MEMORY.md', content: 'The heron eats frogs.' })
  const { description, messages } = await renderBootstrapPrompt(memory)
  expect(description).toBe(bootstrapPrompt.description)
  const { content } = await bootstrapOf(memory)
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: content } }])
  expect(content).toContain('The heron eats frogs.')
  expect(content).not.toContain(toolUsage)
})

test('a memory that says nothing has a message all the same', async () => {
  const { memory } = await home.context({
    settings: { BOOTSTRAP__INJECT_AGENTS: 'false', BOOTSTRAP__INJECT_RELATIONS: 'false' },
  })
  await memory.session()
  for (const name of ['FIRST_RUN.md', 'MEMORY.md', 'USER.md']) writeFileSync(home.file(name), '')
  expect((await bootstrapOf(memory)).content).toBe('')
  const {
    messages: [message],
  } = await renderBootstrapPrompt(memory)
  expect(message!.content).toEqual({ type: 'text', text: noMemory })
})

test('where there is one tool for all its usage is added, and what a task needs', async () => {
  const { memory } = await home.context({
    settings: { DISPATCHER_MODE: 'true', BOOTSTRAP__INJECT_LONG_TERM_MEMORY: 'false' },
  })
  await (await memory.session()).write({ file: 'MEMORY.md', content: 'The heron eats frogs.' })
  const plain = (await bootstrapOf(memory)).content
  expect(plain).toContain('## Tool usage')
  expect(plain).not.toContain('frogs')
  expect((await bootstrapOf(memory, { task: 'what herons eat' })).content).toContain('frogs')
})
