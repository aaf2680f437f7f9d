/**
 * The hooks of agents, run by dist/og: input on stdin, and exit codes that do not stop the agent.
 */
import { expect, test } from 'bun:test'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { homePaths } from '../../support/run/home-paths.ts'

const hook = (fields: object) => JSON.stringify({ session_id: 's1', cwd: '/p', ...fields })
const prompt = (text: string) => hook({ hook_event_name: 'UserPromptSubmit', prompt: text })
const capture = (world: World, stdin: string) =>
  world.og(['memory', 'capture', '--client', 'claude-code'], { stdin })

test('captures a rule, and recalls it only after a person accepts it', async () => {
  await using world = await createWorld()
  const silent = { exitCode: 0, stdout: '', stderr: '' }
  expect(await capture(world, prompt('Hello'))).toEqual(silent)
  expect(existsSync(join(world.env.HOME!, homePaths.memory))).toBe(false)
  expect(await capture(world, prompt('Always run the linter first.'))).toEqual(silent)
  const search = ['memory', 'search', 'linter', '--json']
  expect((await world.json(search)).count).toBe(0)
  const started = await capture(world, hook({ hook_event_name: 'SessionStart' }))
  const { hookSpecificOutput, systemMessage } = JSON.parse(started.stdout)
  expect(systemMessage).toBe('1 captured note to review: og memory inbox')
  expect(hookSpecificOutput.additionalContext).not.toContain('linter')
  const [{ id }] = await world.json(['memory', 'inbox', '--json'])
  await world.check(['memory', 'inbox', 'edit', id.slice(0, 4), '--text', 'Run the linter.'], {
    stdout: '1 note left.\n',
  })
  await world.check(['memory', 'inbox', 'accept', id], {
    stdout: `Accepted ${id} into AGENTS.md.\n0 notes left.\n`,
  })
  expect((await world.json(search)).count).toBe(1)
  await world.check(['memory', 'inbox'], { exitCode: 1, stdout: 'The inbox is empty.\n' })
})

test('exits with 1 for bad input, because 2 would stop the agent', async () => {
  await using world = await createWorld()
  for (const stdin of ['', '[]', '{"a', 'x'.repeat(5_000_000)]) {
    const { exitCode, stdout, stderr } = await capture(world, stdin)
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^error: Cannot capture: .*\n$/)
  }
  await world.check(['memory', 'inbox', 'accept', '12'], {
    exitCode: 2,
    stderr: /^error: Cannot decide about "12": there is no note/,
  })
})

test('keeps every note of processes that capture at the same time', async () => {
  await using world = await createWorld()
  const numbers = Array.from({ length: 12 }, (_, at) => at)
  const ran = await Promise.all(numbers.map((at) => capture(world, prompt(`Always do ${at} now.`))))
  expect(ran.filter(({ exitCode }) => exitCode !== 0)).toEqual([])
  const notes: { text: string }[] = await world.json(['memory', 'inbox', '--json'])
  const texts = numbers.map((at) => `Always do ${at} now.`)
  expect(notes.map(({ text }) => text).sort()).toEqual(texts.sort())
})

test('installs the hooks of clients and removes them again', async () => {
  await using world = await createWorld()
  const install = ['install-mcp', '--memory', '--no-skill', '--claude-code', '--codex']
  await world.og([...install, '--capture'])
  const path = join(world.env.HOME!, '.claude', 'settings.json')
  const { hooks } = JSON.parse(readFileSync(path, 'utf8'))
  const [{ command }] = hooks.UserPromptSubmit[0].hooks
  expect(command).toEndWith(' memory capture --client claude-code')
  await world.og([...install, '--uninstall'])
  expect(readFileSync(path, 'utf8')).not.toContain('capture')
  await world.check(['install-mcp', '--memory', '--capture', '--zed'], {
    exitCode: 2,
    stderr: /^error: Cannot capture sessions of Zed: og does not support its hooks/,
  })
})

test('loses and repeats no note of hooks that are killed at any moment', async () => {
  await using world = await createWorld()
  const path = join(world.folder, 'session.jsonl')
  const said: string[] = []
  for (let i = 0; i < 30; i++) {
    const text = `Always do step ${i} first.`
    said.push(text)
    const line = { type: 'user', message: { role: 'user', content: text } }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
    const stdin = hook({ hook_event_name: 'UserPromptSubmit', prompt: text, transcript_path: path })
    const running = world.start(['memory', 'capture', '--client', 'claude-code'], { stdin })
    await Bun.sleep(10 + ((i * 37) % 120))
    running.kill('SIGKILL')
    await running.ended
  }
  const end = hook({ hook_event_name: 'SessionEnd', transcript_path: path })
  expect((await capture(world, end)).exitCode).toBe(0)
  const notes: { text: string }[] = await world.json(['memory', 'inbox', '--json'])
  expect(notes.map(({ text }) => text).sort()).toEqual(said.sort())
})
