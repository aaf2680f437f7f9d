/**
 * Tests the servers of the Dockerfile. After `npm run image` they run in a container if a container
 * engine is installed, or else as root in the root folder of the image, read-only. Without an
 * image, the executable itself runs with the environment and commands of the Dockerfile.
 */
import { expect, test } from 'bun:test'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../support/e2e.ts'
import { execForm, parseDockerfile } from '../support/dockerfile.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dir, '..', '..')
const instructions = parseDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'))
const restsOf = (name: string) => instructions.filter((it) => it.name === name).map((it) => it.rest)
const key = 'a-key-of-some-length-01'
const settings = {
  GROUNDMEMORY_MCP__API_KEY: key,
  GROUNDMEMORY_MCP__WORKSPACES: 'personal,team',
  GROUNDMEMORY_MCP__ALLOWED_HOSTS: 'memory',
}

const docsSettings = { OG_SERVE_TOKEN: key }

/** A running server; `health` returns the exit code of its own health check. */
type Served = { url: string; health(): Promise<number>; stop(): Promise<number> }
/** Starts a server of the image on a port; `health` contains the og arguments that check it. */
type Start = (server: {
  words: string[]
  health: string[]
  port: number
  env: Record<string, string>
}) => Promise<Served>
type Image = { start: Start; files(): string[] }

async function checkMemory({ url, health }: Served): Promise<void> {
  const ask = async (path: string, name: string, given: object, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: given },
      }),
    })
    const text = await response.text()
    return response.ok
      ? JSON.parse(/^(?:.*\ndata: )?(\{.*)$/s.exec(text)![1]!).result.structuredContent
      : response.status
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
}

async function checkDocs({ url, health }: Served): Promise<void> {
  expect(await health()).toBe(0)
  const status = async (authorization: string) =>
    (
      await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          Authorization: authorization,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'list_libraries', arguments: {} },
        }),
      })
    ).status
  expect(await status(`Bearer ${key}`)).toBe(200)
  expect(await status('Bearer no')).toBe(401)
}

test('the image serves memory and documentation, checks itself and stops on a signal', async () => {
  await using world = await createWorld({ embeddings: true, ownCache: true })
  const engine = engineHere()
  const image = !existsSync(laidOut)
    ? here(world)
    : engine !== null
      ? inContainers(engine, world)
      : canEnterRoots()
        ? inRoot(world)
        : here(world)
  const [words] = restsOf('CMD').map(execForm) as [string[]]
  const [health] = restsOf('HEALTHCHECK').map(execForm) as [string[]]
  const memory = { words, health: health.slice(1), port: 4242, env: settings }
  await serving(await image.start(memory), checkMemory)
  const docs = ['serve', '--host', '0.0.0.0']
  const docsHealth = ['serve', '--health']
  await serving(
    await image.start({ words: docs, health: docsHealth, port: 4241, env: docsSettings }),
    checkDocs,
  )
  const workspaces = image.files().filter((name) => !name.startsWith('.'))
  expect(workspaces).toEqual(['team'])
})

async function serving(served: Served, check: (served: Served) => Promise<void>): Promise<void> {
  const code = await check(served).then(served.stop, async (error) => {
    await served.stop()
    throw error
  })
  expect(code).toBe(0)
}

const laidOut = join(root, 'dist', 'image', process.arch === 'arm64' ? 'arm64' : 'amd64')

function imageEnv(volume: string): Record<string, string> {
  const named = restsOf('ENV').flatMap((rest) =>
    rest
      .split(/\s+/)
      .map((pair) => pair.replaceAll('/data', volume).split('=') as [string, string]),
  )
  return Object.fromEntries(named)
}

/** Starts the server on a free port, which it prints. */
async function startProcess(
  command: (words: string[]) => string[],
  {
    words,
    health,
    env,
    cwd,
  }: { words: string[]; health: string[]; env: Record<string, string>; cwd: string },
): Promise<Served> {
  const ported = { ...env, GROUNDMEMORY_MCP__PORT: '0' }
  const anyPort = words[0] === 'serve' ? ['--port', '0'] : []
  const child = Bun.spawn(command([...words, ...anyPort]), {
    cwd,
    env: ported,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  const { port } = new URL(new TextDecoder().decode(value).split('\n')[0]!)
  const samePort = words[0] === 'serve' ? ['--port', port] : []
  return {
    url: `http://127.0.0.1:${port}`,
    health: () =>
      Bun.spawn(command([...health, ...samePort]), {
        cwd,
        env: { ...env, GROUNDMEMORY_MCP__PORT: port },
        stdout: 'ignore',
        stderr: 'inherit',
      }).exited,
    stop() {
      child.kill('SIGTERM')
      return child.exited
    },
  }
}

function here(world: World): Image {
  const folder = join(world.folder, 'data')
  mkdirSync(folder)
  return {
    start: ({ words, health, env }) =>
      startProcess((args) => [world.executable, ...args], {
        words,
        health,
        cwd: folder,
        env: { ...imageEnv(folder), ...env },
      }),
    files: () => readdirSync(folder),
  }
}

/** `$1` is the root folder and `$2` the volume; the program and its arguments follow. */
const enter = `mount --bind "$1" "$1" && mount --bind "$2" "$1/data" && mount -t tmpfs none "$1/tmp" &&
mount --rbind /proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -o remount,bind,ro "$1" &&
cd / && root=$1 && shift 2 && exec chroot --userspec=65532:65532 "$root" "$@"`
const newMounts = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c']

const canEnterRoots = () =>
  process.getuid?.() === 0 &&
  Bun.which('unshare') !== null &&
  Bun.spawnSync([...newMounts, 'mount -t tmpfs none /tmp']).success

/** Mounts /proc, devices and a temporary folder, as a container engine does. */
function inRoot(world: World): Image {
  const [copy, volume] = [join(world.folder, 'root'), join(world.folder, 'volume')]
  Bun.spawnSync(['cp', '-a', laidOut, copy])
  for (const name of ['data', 'dev', 'proc']) mkdirSync(join(copy, name))
  mkdirSync(volume, { mode: 0o700 })
  chownSync(volume, 65532, 65532)
  const [entrypoint] = restsOf('ENTRYPOINT').map(execForm) as [string[]]
  return {
    start: ({ words, health, env }) =>
      startProcess((args) => [...newMounts, enter, 'sh', copy, volume, ...entrypoint, ...args], {
        words,
        health,
        cwd: '/',
        env: { PATH: process.env.PATH!, ...imageEnv('/data'), ...env },
      }),
    files: () => readdirSync(volume),
  }
}

function engineHere(): string | null {
  const runs = (engine: string) =>
    Bun.which(engine) !== null &&
    Bun.spawnSync([engine, 'info'], { stdout: 'ignore', stderr: 'ignore' }).success
  return ['docker', 'podman'].find(runs) ?? null
}

function inContainers(engine: string, world: World): Image {
  const [image, volume] = [`og-test-${process.pid}`, `og-test-${process.pid}`]
  const run = (...args: string[]) => {
    const { stdout, stderr, success } = Bun.spawnSync([engine, ...args])
    if (!success) throw new Error(`${engine} ${args.join(' ')}: ${stderr.toString()}`)
    return stdout.toString().trim()
  }
  const [entrypoint] = restsOf('ENTRYPOINT').map(execForm) as [string[]]
  run('build', '--tag', image, root)
  return {
    async start({ words, health, port, env }) {
      const named = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
      const id = run(
        'run',
        '--detach',
        '--read-only',
        '--tmpfs',
        '/tmp',
        '--cap-drop',
        'ALL',
        '--volume',
        `${volume}:/data`,
        '--publish',
        `127.0.0.1::${port}`,
        ...named,
        image,
        ...words,
      )
      const ask = () => Bun.spawnSync([engine, 'exec', id, ...entrypoint, ...health]).exitCode
      await until('it is healthy', () => ask() === 0)
      return {
        url: `http://${run('port', id, `${port}/tcp`).split('\n')[0]}`,
        health: async () => ask(),
        async stop() {
          run('stop', id)
          const code = Number(run('inspect', '--format', '{{.State.ExitCode}}', id))
          run('rm', id)
          return code
        },
      }
    },
    files() {
      const id = run('create', '--volume', `${volume}:/data`, image)
      run('cp', `${id}:/data`, join(world.folder, 'copy'))
      run('rm', id)
      run('volume', 'rm', volume)
      run('image', 'rm', image)
      return readdirSync(join(world.folder, 'copy'))
    },
  }
}
