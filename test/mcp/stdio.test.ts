import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openMcpHome } from '../support/mcp.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const main = join(import.meta.dir, '../..', 'src', 'main.ts')
const hello = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 't', version: '1' },
}
const request = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const home = disposeAfterAll(await openMcpHome())
await home.add('kit', '1', { 'a.md': '# A\n\nzither\n' })

const environment = () => ({ PATH: process.env.PATH ?? '', ...home.env })

test('writes only protocol messages to stdout and exits when stdin ends', async () => {
  const child = Bun.spawn([process.execPath, main, 'mcp'], {
    env: { ...environment(), FORCE_COLOR: '1' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  child.stdin.write(`${request(1, 'initialize', hello)}no json\n`)
  child.stdin.write(request(2, 'tools/call', { name: 'list_libraries_tool', arguments: {} }))
  child.stdin.flush()
  let printed = ''
  const decoder = new TextDecoder()
  for await (const bytes of child.stdout) {
    printed += decoder.decode(bytes)
    if (printed.includes('"id":2')) child.stdin.end()
  }
  expect(await child.exited).toBe(0)
  const messages = printed
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(messages.map(({ jsonrpc, id }) => ({ jsonrpc, id }))).toEqual([
    { jsonrpc: '2.0', id: null },
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: 2 },
  ])
  expect(await new Response(child.stderr).text()).toContain('Parse error')
})

/** The parent is killed while another process keeps the write end of stdin open. */
test('exits when its parent dies, even if stdin stays open', async () => {
  const script = `
    const child = Bun.spawn(${JSON.stringify([process.execPath, main, 'mcp'])}, {
      stdin: 'inherit', stdout: 'inherit', stderr: 'ignore',
    })
    await child.exited
  `
  const parent = Bun.spawn([process.execPath, '-e', script], {
    env: environment(),
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  parent.stdin.write(request(1, 'initialize', hello))
  parent.stdin.flush()
  const output = parent.stdout.getReader()
  const { value } = await output.read()
  expect(new TextDecoder().decode(value)).toContain('"serverInfo"')
  parent.kill('SIGKILL')
  // Its stdout closes when the last process that has it open exits.
  expect((await output.read()).done).toBe(true)
  parent.stdin.end()
})

test('exits on a signal', async () => {
  const child = Bun.spawn([process.execPath, main, 'mcp'], {
    env: environment(),
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  child.stdin.write(request(1, 'initialize', hello))
  child.stdin.flush()
  await child.stdout.getReader().read()
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
})
