/** Tests errors of stdout and the format of output lines with dist/og. */
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { testWhere } from '../../support/where.ts'

const into = (redirection: string) => ({ prefix: ['bash', '-c', `"$@" ${redirection}`, 'bash'] })
const testFull = testWhere(existsSync('/dev/full') ? null : 'there is no /dev/full')

async function filled(): Promise<World> {
  const world = await createWorld()
  await world.og(['add', 'kettle', '-s', handbook, '-v', '1', '--base-url', 'doc:/'])
  await world.og(['memory', 'write', 'A fact.'])
  return world
}

const asked = [
  ['list'],
  ['list', '--json'],
  ['query', 'descaling', '-k', '1'],
  ['query', 'descaling', '--json'],
  ['query', 'descaling', '--jsonl'],
  ['get', 'doc:/brewing.md'],
  ['doctor'],
  ['doctor', '--json'],
  ['--help'],
  ['add', '--help'],
  ['version'],
  ['completion', 'bash'],
  ['config', 'show'],
  ['sources'],
  ['context', 'descaling'],
  ['stats', 'show'],
  ['memory', 'search', 'fact'],
  ['memory', 'read', 'MEMORY.md'],
  ['memory', 'list'],
  ['memory', 'bootstrap', '--json'],
  ['diff', 'kettle@1', 'kettle@1'],
  ['memory', 'write', 'Another fact.'],
]

testFull('a full disk behind stdout is one line and exit code 2, in every command', async () => {
  await using world = await filled()
  for (const args of asked) {
    const { exitCode, stderr } = await world.og(args, into('>/dev/full'))
    expect([args, exitCode, stderr.match(/^error: .*$/gm)]).toEqual([
      args,
      2,
      ['error: Cannot write to stdout: the disk is full'],
    ])
  }
})

testFull('a server that cannot answer ends with one line and exit code 2', async () => {
  await using world = await createWorld()
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  }
  const stdin = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`
  const ran = await world.og(['mcp'], { ...into('>/dev/full'), stdin })
  expect(ran.stderr).toMatch(/^error: Cannot write to stdout: .*\n$/)
  expect(ran.exitCode).toBe(2)
})

testWhere(existsSync('/proc/self/fdinfo') ? null : 'there is no /proc')(
  'fails for a closed stdout, but not for /dev/null',
  async () => {
    await using world = await filled()
    for (const args of [['list'], ['query', 'descaling', '--json'], ['get', 'doc:/brewing.md']]) {
      const { exitCode, stderr } = await world.og(args, into('>&-'))
      expect([exitCode, stderr]).toEqual([2, 'error: Cannot write to stdout: it is closed\n'])
      expect(await world.og(args, into('>/dev/null'))).toMatchObject({ exitCode: 0, stderr: '' })
    }
    const child = Bun.spawn([world.executable, 'list'], { env: world.env, stdout: 'ignore' })
    expect(await child.exited).toBe(0)
  },
)

test('prints no error if the reader closes the pipe early', async () => {
  await using world = await filled()
  for (const args of [['list'], ['query', 'descaling', '--json'], ['get', 'doc:/brewing.md']]) {
    const { exitCode, stderr } = await world.og(args, into('| head -c0; exit ${PIPESTATUS[0]}'))
    expect([exitCode, stderr]).toEqual([0, ''])
  }
})

test('keeps JSON on one line for readers that split at Unicode line separators', async () => {
  await using world = await createWorld()
  const docs = join(world.folder, 'docs')
  mkdirSync(docs)
  const text = '# Odd ends\n\nOne\u2028two\u2029three\u0085four.\n'
  writeFileSync(join(docs, 'odd.md'), text)
  await world.og(['add', 'odd', '-s', docs, '-v', '1', '--base-url', 'doc:/'])
  await world.og(['memory', 'write', 'Memory\u2028of two\u0085lines'])
  for (const args of [
    ['query', 'three', '--jsonl'],
    ['query', 'three', '--json'],
    ['get', 'doc:/odd.md', '--json'],
    ['memory', 'search', 'memory', '--json'],
    ['memory', 'read', 'MEMORY.md', '--json'],
  ]) {
    const { stdout } = await world.og(args)
    expect(stdout).not.toMatch(/[\u0085\u2028\u2029]/)
    expect(stdout).toMatch(/\\u2028/)
    expect(stdout).toMatch(/\\u0085/)
    expect(JSON.parse(stdout)).toBeObject()
  }
})
