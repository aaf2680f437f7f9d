/**
 * The server of the Dockerfile: in a container where an engine and the base images are on this
 * machine; else the executable itself, with the environment and the command of the image.
 */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../support/e2e.ts'
import { execForm, parseDockerfile } from '../support/dockerfile.ts'

setDefaultTimeout(300_000)

const root = join(import.meta.dir, '..', '..')
const instructions = parseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'))
const restsOf = (name: string) => instructions.filter((it) => it.name === name).map((it) => it.rest)
const key = 'a-key-of-some-length-01'
const settings = {
  GROUNDMEMORY_MCP__API_KEY: key,
  GROUNDMEMORY_MCP__WORKSPACES: 'personal,team',
  GROUNDMEMORY_MCP__ALLOWED_HOSTS: 'memory',
}

/** A server that runs; `health` is the exit code of the image's own check. */
type Served = { url: string; health(): Promise<number>; files(): string[]; stop(): Promise<number> }

async function check({ url, health, files }: Served): Promise<void> {
  const ask = async (path: string, name: string, given: object, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`, 'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream', ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given },
      }),
    })
    const text = await response.text()
    return response.ok ? JSON.parse(/^(?:.*\ndata: )?(\{.*)$/s.exec(text)![1]!).result
      .structuredContent : response.status
  }
  expect(await health()).toBe(0)
  const note = { file: 'MEMORY.md', content: 'The cat prefers tuna.' }
  expect(await ask('/mcp/team', 'memory_write', note)).toMatchObject({ status: 'ok' })
  const count = async (path: string, headers = {}) => {
    const found = await ask(path, 'memory_read', { query: 'tuna' }, headers)
    return typeof found === 'number' ? found : found.count
  }
  expect(await count('/mcp/team')).toBe(1)
  expect(await count('/mcp')).toBe(0)
  expect(await count('/mcp', { Host: 'memory:4242' })).toBe(0)
  expect(await count('/mcp', { Host: '192.168.1.9:4242' })).toBe(0)
  expect(await count('/mcp', { Host: 'evil.example' })).toBe(403)
  expect(await count('/mcp', { Authorization: 'Bearer no' })).toBe(401)
  expect(await count('/mcp/other')).toBe(404)
  const workspaces = files().filter((name) => !name.startsWith('.'))
  expect(workspaces.sort()).toEqual(['personal', 'team'])
}

test('the image serves several workspaces, checks itself and ends when told', async () => {
  await using world = await createWorld({ embeddings: true, ownCache: true })
  const engine = engineWithBases()
  const served = await (engine === null ? runHere(world) : runInContainer(engine, world))
  const code = await check(served).then(served.stop, async (error) => {
    await served.stop()
    throw error
  })
  expect(code).toBe(0)
})

async function runHere(world: World): Promise<Served> {
  const folder = join(world.folder, 'data')
  mkdirSync(folder)
  const named = restsOf('ENV').flatMap((rest) =>
    rest.split(/\s+/).map((pair) => pair.replaceAll('/data', folder).split('=') as [string, string]))
  const env = { ...Object.fromEntries(named), ...settings, HOME: '/nonexistent' }
  const ported = { ...env, GROUNDMEMORY_MCP__PORT: '0' }
  const [cmd] = restsOf('CMD').map(execForm)
  const child = Bun.spawn([world.executable, ...cmd!], {
    cwd: folder, env: ported, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  const { port } = new URL(new TextDecoder().decode(value).split('\n')[0]!)
  const [health] = restsOf('HEALTHCHECK').map(execForm)
  return {
    url: `http://127.0.0.1:${port}`,
    health: () => Bun.spawn([world.executable, ...health!.slice(1)], {
      env: { ...env, GROUNDMEMORY_MCP__PORT: port }, stdout: 'ignore', stderr: 'inherit',
    }).exited,
    files: () => readdirSync(folder),
    stop() {
      child.kill('SIGTERM')
      return child.exited
    },
  }
}

function engineWithBases(): string | null {
  const bases = restsOf('FROM').map((rest) => rest.replace(/ AS \S+$/, ''))
  const isThere = (engine: string) => Bun.which(engine) !== null &&
    [['info'], ['image', 'inspect', ...bases]].every((args) =>
      Bun.spawnSync([engine, ...args], { stdout: 'ignore', stderr: 'ignore' }).success)
  return ['docker', 'podman'].find(isThere) ?? null
}

async function runInContainer(engine: string, world: World): Promise<Served> {
  const [image, volume] = [`og-test-${process.pid}`, `og-test-${process.pid}`]
  const run = (...args: string[]) => {
    const { stdout, stderr, success } = Bun.spawnSync([engine, ...args])
    if (!success) throw new Error(`${engine} ${args.join(' ')}: ${stderr.toString()}`)
    return stdout.toString().trim()
  }
  run('build', '--tag', image, root)
  const named = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const id = run('run', '--detach', '--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL',
    '--volume', `${volume}:/data`, '--publish', '127.0.0.1::4242', ...named, image)
  const [health] = restsOf('HEALTHCHECK').map(execForm)
  const check = () => Bun.spawnSync([engine, 'exec', id, ...health!]).exitCode
  for (let i = 0; i < 100 && check() !== 0; i++) await Bun.sleep(100)
  const copy = join(world.folder, 'copy')
  return {
    url: `http://${run('port', id, '4242/tcp').split('\n')[0]}`,
    health: async () => check(),
    files() {
      run('cp', `${id}:/data`, copy)
      return readdirSync(copy)
    },
    async stop() {
      run('stop', id)
      const code = Number(run('inspect', '--format', '{{.State.ExitCode}}', id))
      run('rm', id)
      run('volume', 'rm', volume)
      run('image', 'rm', image)
      return code
    },
  }
}
