import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { memoryDispatcherTool } from '../../../src/mcp/memory/memory-tools.ts'
import { openMemoryHome, type Connection } from '../../support/memory/mcp-memory.ts'
import { openEach } from '../../support/run/dispose.ts'

const home = openEach(openMemoryHome)

type Args = Record<string, unknown>

async function ask(action: string, args?: Args, options?: Connection) {
  const context = await home().context(options)
  return memoryDispatcherTool.answer(context, { action, ...(args && { args }) })
}

const refusal = (action: string, args?: Args, options?: Connection) =>
  ask(action, args, options).then(
    () => 'answered',
    (error: Error) => error.message,
  )

test('runs the tool of the action and parses its arguments', async () => {
  const entry = { file: 'MEMORY.md', content: 'The heron eats frogs.', tags: '["bird"]' }
  expect(await ask('write', entry)).toMatchObject({ status: 'ok', mode: 'append' })
  expect(await ask('read', { query: 'heron', tags: ['bird'] })).toMatchObject({ count: 1 })
  expect(await ask('relate', { subject: 'Ann', predicate: 'knows', object: 'Bo' })).toMatchObject({
    relation: { subject: 'Ann' },
  })
  expect(await ask('list')).toMatchObject({ status: 'ok', count: 4 })
})

test('bootstraps with any task that converts to text', async () => {
  expect((await ask('bootstrap')).bootstrap).toContain('groundmemory bootstrap start')
  expect((await ask('bootstrap', { task: 7 })).bootstrap).toContain('groundmemory bootstrap start')
})

test('describes every tool action by its JSON schema', async () => {
  for (const action of ['read', 'write', 'relate', 'list', 'compact']) {
    const schema = (await ask('describe', { action })).schema as Args
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(schema.description).toBeTruthy()
  }
  for (const args of [{}, { action: '' }, { action: null }]) {
    expect(await refusal('describe', args)).toStartWith('Provide args.action')
  }
  for (const action of ['bootstrap', 'toString', '__proto__', 'describe']) {
    expect(await refusal('describe', { action })).toStartWith(
      `No schema available for action '${action}'. Available: ['read', 'write'`,
    )
  }
})

test('rejects an unknown action and names the valid ones', async () => {
  const valid = `['bootstrap', 'describe', 'read', 'write', 'relate', 'list', 'compact']`
  for (const action of ['forget', 'constructor', '__proto__', 'READ', '']) {
    expect(await refusal(action)).toBe(`Unknown action '${action}'. Valid actions: ${valid}`)
  }
})

test('names the action in errors', async () => {
  expect(await refusal('write', { file: 'daily' })).toStartWith(
    `Invalid args for action 'write': Cannot call memory_write: content is missing (`,
  )
  expect(await refusal('read', { file: '../x' })).toStartWith(`Action 'read' failed: Access denied`)
})

test('refuses writing actions on a read-only connection', async () => {
  await ask('write', { file: 'MEMORY.md', content: 'The heron eats frogs.' })
  const before = readFileSync(home().file('MEMORY.md'), 'utf8')
  const readOnly = { readOnly: true }
  for (const action of ['write', 'relate', 'compact']) {
    expect(await refusal(action, {}, readOnly)).toBe(
      `Action '${action}' is refused: this connection is read-only`,
    )
  }
  for (const [action, args] of [
    ['read', { query: 'heron' }],
    ['list', {}],
    ['bootstrap', {}],
  ] as const)
    expect(await refusal(action, args, readOnly)).toBe('answered')
  expect(readFileSync(home().file('MEMORY.md'), 'utf8')).toBe(before)
})

test('reports a bootstrap failure without local paths', async () => {
  const context = await home().context()
  const memory = {
    ...context.memory,
    session: () => Promise.reject(new Error(`EACCES: ${context.memory.root}/default`)),
  }
  const failed = memoryDispatcherTool.answer({ memory }, { action: 'bootstrap' })
  await expect(failed).rejects.toThrow('bootstrap failed: EACCES: its folder')
})
