import { expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createWorld, handbook, type World } from '../support/e2e.ts'
import { asOrdinaryUser, withoutNetwork } from '../support/ordinary-user.ts'
import { testWhere } from '../support/where.ts'
import { homePaths } from '../support/run/home-paths.ts'

const base = 'https://kettle.example/handbook'
const add = (name: string) => ['add', name, '-s', handbook, '-v', '1', '--base-url', base, '--json']
const nativesOf = (world: World) => join(world.folder, 'home', homePaths.cache, 'natives')

/** Returns the folder of unpacked files; only the lock may be next to it. */
function unpacked(world: World): string {
  const names = readdirSync(nativesOf(world)).filter((name) => name !== '.lock')
  expect(names.length).toBe(1)
  expect(names[0]).not.toStartWith('.')
  return join(nativesOf(world), names[0]!)
}

function hashes(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .sort()
      .filter((name) => !name.endsWith('.json') || name.startsWith('tokenizer'))
      .map((name) => [
        name,
        // Much faster than SHA-256 for the 200 MB of a folder.
        `${Bun.hash(readFileSync(join(folder, name)))}`,
      ]),
  )
}

const offline = withoutNetwork()
const lack = offline === null ? 'unshare -n does not work here' : null
const mainJob =
  'alone in an empty folder, without network, as an ordinary user: the main job (W-30)'

testWhere(lack)(mainJob, async () => {
  const prefix = [...offline!, ...asOrdinaryUser()]
  await using world = await createWorld({ embeddings: true, ownCache: true })
  const home = join(world.folder, 'home')
  chmodSync(home, 0o777)
  const run = { prefix }
  expect(readdirSync(join(world.folder, 'cwd'))).toEqual([])
  const added = await world.og(add('kettle'), run)
  // On a busy machine, the command takes long enough to print its progress.
  expect(added.stderr).toMatch(/^(kettle: .*\n)*$/)
  expect(added.exitCode).toBe(0)
  expect(JSON.parse(added.stdout)).toMatchObject({ pages: 8, embedded: 13 })
  const question = ['query', 'keep the lamp from shining while someone sleeps', '--json']
  const { hits } = await world.json(question, run)
  expect(hits.slice(0, 2).map((hit: { url: string }) => hit.url)).toContain(
    `${base}/reference/commands.rst`,
  )
  await world.check(['get', `${base}/faq.txt`], { stdout: /^Questions people ask\n/ }, run)
  expect(await world.json(['list', '--json'], run)).toHaveLength(1)
  expect(readdirSync(home).sort()).toEqual(['.cache', '.local'])
  expect(readdirSync(join(world.folder, 'cwd'))).toEqual([])
  expect(readdirSync(join(world.folder, 'tmp'))).toEqual([])
})

test('doctor finds no problem, and confirms that no socket is used', async () => {
  await using world = await createWorld({ embeddings: true })
  await world.og(add('kettle'))
  const checks = await world.json(['doctor', '--offline', '--json'])
  expect(checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([])
  await world.check(['doctor'], { stdout: /^(ok {4}.*\n( +hint: .*\n)?)+$/ })
})

test('unpacked files do not count towards the memory of the process', async () => {
  await using world = await createWorld({ ownCache: true })
  const running = world.start(add('kettle'))
  const seen: number[] = []
  const watch = setInterval(() => {
    const maps = mappings(running.pid)
    if (maps.some(({ path }) => path.endsWith('lancedb.node'))) seen.push(executableBytes(maps))
  }, 20)
  const ended = await running.ended
  clearInterval(watch)
  expect(ended).toMatchObject({ exitCode: 0 })
  expect(seen.length).toBeGreaterThan(0)
  expect(Math.max(...seen)).toBeGreaterThan(10e6)
  expect(Math.max(...seen)).toBeLessThan(90e6)
})

type Mapping = { path: string; bytes: number }

/**
 * Returns the mapped files and how much of each is in memory, or nothing if the process has ended.
 */
function mappings(pid: number): Mapping[] {
  const text = smaps(pid)
  const found = text.matchAll(/^[\da-f]+-[\da-f]+ .* (\/.*)\n(?:[A-Z].*\n)*?Rss: +(\d+) kB$/gm)
  return [...found].map(([, path, kilobytes]) => ({ path: path!, bytes: 1024 * Number(kilobytes) }))
}

/** Returns '' if the process has ended, even during the read. */
function smaps(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps`, 'latin1')
  } catch {
    return ''
  }
}

function executableBytes(maps: readonly Mapping[]): number {
  return maps
    .filter(({ path }) => path.endsWith('/bin/og'))
    .reduce((sum, { bytes }) => sum + bytes, 0)
}

test('ONNX Runtime stays packed until a model needs it', async () => {
  await using world = await createWorld({ embeddings: true, ownCache: true })
  await world.og(add('kettle'))
  expect(readdirSync(unpacked(world))).not.toContain('model_quantized.onnx')
  const models = join(import.meta.dir, '..', '..', 'build', 'model')
  const env = { OG_EMBEDDER: 'onnx', OG_MODEL_DIR: models }
  expect(await world.json(['query', 'descaling', '--json'], { env })).toHaveProperty('hits')
  const sets = readdirSync(nativesOf(world)).filter((name) => name !== '.lock')
  expect(sets).toHaveLength(2)
  const onnx = sets
    .map((name) => join(nativesOf(world), name))
    .find((path) => existsSync(join(path, 'onnxruntime_binding.node')))!
  chmodSync(join(onnx, 'onnxruntime_binding.node'), 0o700)
  flipByte(join(onnx, 'onnxruntime_binding.node'))
  expect(await world.json(['query', 'descaling', '--json'], { env })).toHaveProperty('hits')
  const freed = await world.json(['gc', '--dry-run', '--json'])
  expect(JSON.stringify(freed)).not.toMatch(/"natives":\{"count":[1-9]/)
  const lost = { OG_EMBEDDER: 'onnx', HF_ENDPOINT: 'http://127.0.0.1:1' }
  await world.check(
    ['query', 'descaling'],
    { exitCode: 2, stderr: /^error: Cannot fetch .*tokenizer.json/ },
    { env: lost },
  )
})

test('warns about a read-only home, and uses a temporary cache and store', async () => {
  // Both kinds share a world, because unpacking takes a second.
  await using world = await createWorld({ ownCache: true })
  for (const kind of ['read-only', 'missing'] as const) {
    const home = kind === 'missing' ? '/nonexistent' : join(world.folder, 'home')
    if (kind === 'read-only') chmodSync(home, 0o555)
    const run = { prefix: asOrdinaryUser(), env: { HOME: home } }
    const place = `DIR/tmp/og-${run.prefix.length > 0 ? 65534 : process.getuid?.()}`
    const shown = home.replace(world.folder, 'DIR')
    const noStore =
      `warning: cannot create ${shown}/${homePaths.store}; using ${place}/store ` +
      '(set OG_DB_PATH to a folder that lasts)\n'
    const noCache =
      `warning: cannot write ${shown}/${homePaths.cache}/natives; using ${place}/natives ` +
      '(set OG_CACHE_DIR to a folder that lasts)\n'
    await world.check(add('kettle'), { stdout: /"pages": 8,/, stderr: noStore + noCache }, run)
    await world.check(
      ['query', 'descaling', '-k', '1'],
      { stdout: /^Found 1 match in .*\n1\. Brewing/, stderr: noStore + noCache },
      run,
    )
    await world.check(['list', '--json'], { stdout: /"library": "kettle"/, stderr: noStore }, run)
    await world.check(
      ['rm', 'kettle', '-v', '1', '-y'],
      { stderr: `${noStore}Deleted kettle 1 (8 pages, 13 chunks).\n` },
      run,
    )
    if (kind === 'read-only') expect(readdirSync(home)).toEqual([])
    const named = { ...run, env: { ...run.env, OG_DB_PATH: join(world.folder, 'tmp', 'mine') } }
    await world.check(add('kettle'), { stdout: /"pages": 8,/, stderr: noCache }, named)
    expect(existsSync(join(world.folder, 'tmp', 'mine', 'registry.json'))).toBe(true)
    const mine = { ...run, env: { ...run.env, OG_DB_PATH: '/nonexistent/mine' } }
    await world.check(
      add('kettle'),
      { exitCode: 2, stderr: /error: Cannot .*\nhint: .*\/nonexistent\/mine/ },
      mine,
    )
    rmSync(named.env.OG_DB_PATH, { recursive: true })
  }
})

test('two simultaneous first starts unpack only one cache', async () => {
  await using world = await createWorld({ ownCache: true })
  const ran = await Promise.all([world.og(add('one')), world.og(add('two')), world.og(['list'])])
  for (const { exitCode, stderr } of ran.slice(0, 2)) {
    // The one that unpacks nothing says so if it waits for more than a second.
    const others = stderr.replace(/^waiting for another og that uses the unpacked files .*\n/, '')
    expect({ exitCode, stderr: others }).toEqual({ exitCode: 0, stderr: '' })
  }
  unpacked(world)
  expect(await world.json(['list', '--json'])).toHaveLength(2)
})

test('repairs the cache after a killed first start and after damage', async () => {
  await using world = await createWorld({ ownCache: true })
  const isUnpacking = () =>
    existsSync(nativesOf(world)) &&
    readdirSync(nativesOf(world)).some((name) => name.startsWith('.new-'))
  // On a busy machine, the command may end before this process notices that it unpacks.
  for (let exitCode = 0; exitCode !== 137; ) {
    rmSync(nativesOf(world), { recursive: true, force: true })
    const started = world.start(['gc', '--json'])
    let hasEnded = false
    void started.ended.then(() => (hasEnded = true))
    while (!hasEnded && !isUnpacking()) await Bun.sleep(1)
    started.kill('SIGKILL')
    ;({ exitCode } = await started.ended)
  }
  expect(await world.json(add('one'))).toMatchObject({ status: 'added' })
  const folder = unpacked(world)
  const whole = hashes(folder)
  expect(Object.keys(whole)).toContain('lancedb.node')
  // test/platform/native/unpack.test.ts damages a small set of files in more ways.
  const damages: [string, (path: string) => void][] = [
    ['lancedb.node', (path) => truncateSync(path, 4096)],
    ['lancedb.node', (path) => flipByte(path)],
    ['tokenizer.json', (path) => writeFileSync(path, '{}')],
  ]
  for (const [name, damage] of damages) {
    chmodSync(join(folder, name), 0o700)
    damage(join(folder, name))
    const ran = await world.og(['query', 'descaling', '--json'])
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
    expect(hashes(unpacked(world))).toEqual(whole)
  }
  rmSync(nativesOf(world), { recursive: true })
  mkdirSync(join(world.folder, 'home', homePaths.cache), { recursive: true })
  writeFileSync(nativesOf(world), 'a file where a folder has to be')
  const ran = await world.og(['query', 'descaling', '--json'])
  expect(ran).toMatchObject({ exitCode: 0 })
  expect(ran.stderr).toMatch(/^warning: cannot write .*natives; using .*\n$/)
})

function flipByte(path: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(path, bytes)
}

test('the executable contains no path of its build machine, so that its bytes are reproducible', async () => {
  await using world = await createWorld()
  const bytes = readFileSync(world.executable)
  expect(bytes.includes('$bunfs/root')).toBe(true)
  expect(bytes.includes(join(import.meta.dir, '..', '..'))).toBe(false)
})
