import { expect, test } from 'bun:test'
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capture, decide, type Decision } from '../../../src/memory/capture/capture.ts'
import type { HookCall } from '../../../src/memory/capture/session-event.ts'
import { readInbox } from '../../../src/memory/capture/inbox.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openWorkspace } from '../../../src/memory/workspace.ts'
import { openTestMemory } from '../../support/memory/memory.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og capture'))
const memory = openEach(() => openTestMemory(temp().path))

const review = { acceptsAll: false }
const call = (more: Partial<HookCall>): HookCall => ({
  client: 'codex',
  event: 'prompt',
  session: 's1',
  transcript: null,
  prompt: null,
  folder: '/p',
  ...more,
})
const say = (prompt: string, more: Partial<HookCall> = {}) =>
  capture(memory(), call({ prompt, ...more }), review)
const texts = async () => (await readInbox(memory().workspace)).map(({ text }) => text)
const ids = async () => (await readInbox(memory().workspace)).map(({ id }) => id)
const resolve = async (decision: Decision) =>
  decide(memory(), decision, await readInbox(memory().workspace))
const userLine = (text: string) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`

test('puts statements into the inbox once, and nothing into memory', async () => {
  expect(await say('Hello. Always run the tests. How are you?')).toEqual({ added: 1, rejected: 0 })
  expect(await say('Always run the tests.', { session: 's2' })).toEqual({ added: 0, rejected: 0 })
  expect(await readInbox(memory().workspace)).toMatchObject([
    { client: 'codex', session: 's1', turn: 1, at: '2026-03-20 10:05', to: 'AGENTS.md' },
  ])
  expect(memory().text('AGENTS.md')).not.toContain('Always run the tests.')
})

test('proposes nothing that memory already contains or that was already decided on', async () => {
  await memory().put('AGENTS.md', '# A\n\nAlways be brief.\n')
  await say('Always be brief. Never push to main. Always lint.')
  const [first] = await ids()
  await resolve({ action: 'drop', ids: [first!] })
  await say('Never push to main.')
  expect(await texts()).toEqual(['Always lint.'])
})

test('accepts, edits and merges notes', async () => {
  await say('Always lint. Always test all. We decided to use pnpm. I prefer tabs here.')
  const [lint, all, pnpm, tabs] = (await ids()) as [string, string, string, string]
  await resolve({ action: 'edit', ids: [pnpm], text: 'The project uses pnpm.' })
  await resolve({ action: 'merge', ids: [lint, all], text: null })
  expect(await texts()).toEqual([
    'Always lint.\nAlways test all.',
    'The project uses pnpm.',
    'I prefer tabs here.',
  ])
  const { accepted, left } = await resolve({ action: 'accept', ids: [lint, pnpm] })
  expect(accepted.map(({ file }) => file)).toEqual(['AGENTS.md', 'MEMORY.md'])
  expect([left, await ids()]).toEqual([1, [tabs]])
  expect(memory().text('MEMORY.md')).toContain('\nThe project uses pnpm.\n')
  await say('Always test all. We decided to use pnpm.')
  expect(await ids()).toEqual([tabs])
})

test('accepting a note of the day again, as after a kill, does not write it twice', async () => {
  await say('TODO: measure the start')
  const notes = await readInbox(memory().workspace)
  const decision = { action: 'accept', ids: notes.map(({ id }) => id) } as const
  await decide(memory(), decision, notes)
  await decide(memory(), decision, notes)
  expect(memory().text('daily/2026-03-20.md').split('measure the start')).toHaveLength(2)
})

test('resumes a transcript where it stopped reading, and summarizes the session', async () => {
  const transcript = join(temp().path, 't.jsonl')
  writeFileSync(transcript, userLine('Always lint.') + userLine('Never rush it.').slice(0, 20))
  await capture(memory(), call({ transcript, event: 'other' }), review)
  expect(await texts()).toEqual(['Always lint.'])
  appendFileSync(transcript, userLine('Never rush it.').slice(20))
  const tool = { type: 'tool_use', id: '1', name: 'Edit', input: { file_path: '/p/a.ts' } }
  const edit = { type: 'assistant', message: { content: [tool] } }
  appendFileSync(transcript, `${JSON.stringify(edit)}\n`)
  await capture(memory(), call({ transcript, event: 'end' }), review)
  appendFileSync(transcript, `${JSON.stringify(edit)}\n`)
  await capture(memory(), call({ transcript, event: 'end' }), review)
  expect(await texts()).toEqual(['Always lint.', 'Never rush it.', 'Changed most in /p: a.ts (2).'])
  const turns = (await readInbox(memory().workspace)).map(({ turn }) => turn)
  expect(turns).toEqual([1, 2, 2])
})

test('reads only the end of a long transcript, and does not read pipes or folders', async () => {
  const transcript = join(temp().path, 't.jsonl')
  const noise = userLine('x'.repeat(1000)).repeat(2_000)
  writeFileSync(transcript, userLine('Always lint.') + noise + userLine('Never rush it.'))
  const started = usedCpuMs()
  await capture(memory(), call({ transcript, event: 'end' }), review)
  expect(usedCpuMs() - started).toBeLessThan(2_000)
  expect(await texts()).toEqual(['Never rush it.'])
  for (const path of [temp().path, '/dev/zero', join(temp().path, 'missing')]) {
    await capture(memory(), call({ transcript: path, session: path }), review)
  }
})

test('keeps every note of processes that capture at the same time', async () => {
  const others = await Promise.all([1, 2, 3].map(() => openTestMemory(temp().path)))
  const work = [memory(), ...others].flatMap((one, at) =>
    Array.from({ length: 10 }, (_, n) =>
      capture(one, call({ prompt: `Always do ${at} ${n}.`, session: `s${at}` }), review),
    ),
  )
  await Promise.all(work)
  expect(new Set(await texts()).size).toBe(40)
})

const damagedStates = [
  '{"sess',
  'null',
  '[]',
  '{"sessions":null,"decided":null,"rejected":null}',
  '{"sessions":{"s":null},"decided":[],"rejected":0}',
  '{"sessions":{"s":{"offset":0,"turn":0,"pending":[1]}},"decided":[],"rejected":0}',
]

test('limits the size of its state, and starts afresh if the state is damaged', async () => {
  const path = join(memory().workspace.path, '.og', 'capture.json')
  for (let at = 0; at < 30; at++) await say(`Always do ${at}.`, { session: `s${at}` })
  const { sessions } = JSON.parse(memory().text('.og/capture.json'))
  expect(Object.keys(sessions)).toHaveLength(20)
  for (const [at, damaged] of damagedStates.entries()) {
    writeFileSync(path, damaged)
    await say(`Always go on ${at}.`)
    expect((await texts()).at(-1)).toBe(`Always go on ${at}.`)
  }
})

test('writes notes into memory at once if the settings say so', async () => {
  const prompt = 'We decided to use pnpm.'
  await capture(memory(), call({ prompt }), { acceptsAll: true })
  await capture(memory(), call({ prompt }), { acceptsAll: true })
  expect(memory().text('MEMORY.md').split('We decided to use pnpm.')).toHaveLength(2)
  expect(await texts()).toEqual([])
})

test('does not create a memory for a message without a statement', async () => {
  const workspace = await openWorkspace({ root: temp().path, name: 'new' })
  const writer = { ...memory(), workspace, settled: null }
  await capture(writer, call({ prompt: 'Hello' }), review)
  expect(existsSync(workspace.path)).toBe(false)
})
