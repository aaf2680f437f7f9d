/** Tests memory on an empty machine with dist/og, without network access or settings. */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { homePaths } from '../../support/run/home-paths.ts'

const folder = (world: World) => join(world.env.HOME!, homePaths.memory, 'default')
const textOf = (world: World) => readFileSync(join(folder(world), 'MEMORY.md'), 'utf8')
const withoutModel = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }

test('imports the notes of another program once, and counts them before the import', async () => {
  await using world = await createWorld()
  const lines = [
    { type: 'entity', name: 'Ann', entityType: 'person', observations: ['likes tea'] },
    { type: 'entity', name: 'Ben', entityType: '', observations: [] },
    { type: 'relation', from: 'Ann', to: 'Ben', relationType: 'works-with' },
    { type: 'relation', from: 'Ann', to: 'B]n', relationType: 'knows' },
  ]
  const path = join(world.folder, 'memory.jsonl')
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const source = ['memory', 'import', path, '--from', 'mcp-memory']
  await world.check([...source, '--dry-run'], {
    stdout: 'Would add 2 notes and 2 relations; 0 are there already.\n',
  })
  expect(existsSync(folder(world))).toBe(false)
  const first = await world.og(source)
  expect(first.exitCode).toBe(0)
  expect(first.stdout).toMatch(/^Added 2 notes and [12] relations?; 0 are there already\.\n/)
  expect(textOf(world)).toContain('\nAnn (person)\n- likes tea\n')
  const again = await world.json([...source, '--json'])
  expect(again).toMatchObject({ added: 0, duplicates: 2 })
  await world.check(['memory', 'import', path, '--from', 'zep'], {
    exitCode: 2,
    stderr: /mcp-memory/,
  })
  await world.check(['memory', 'import', path, '--dry-run'], {
    exitCode: 2,
    stderr: /^error: Cannot use --dry-run without --from/,
  })
})

test('exports notes to every format and imports them into another memory', async () => {
  await using world = await createWorld()
  const og = (args: string[]) => world.json(['memory', ...args, '--json'])
  await og(['write', 'Deploys go out on Tuesdays.', '--tag', 'ops'])
  await og(['write', 'Standup\n- is at ten\n- is short', '--file', 'daily'])
  await og(['relate', 'Ann', 'works at', 'Acme'])
  const formats = { 'mcp-memory': 'mcp-memory', mem0: 'mem0', 'basic-memory': 'markdown' }
  for (const [to, from] of Object.entries(formats)) {
    const path = join(world.folder, `exported ${to}`)
    const args = ['memory', 'export', path, '--to', to]
    await world.check([...args, '--dry-run'], { stdout: 'Would export 2 notes and 1 relation\n' })
    expect(existsSync(path)).toBe(false)
    await world.check(args, { stdout: `Exported 2 notes and 1 relation to DIR/exported ${to}\n` })
    await world.check(args, { exitCode: 2, stderr: /it exists/ })
    expect((await world.og([...args, '--force'])).exitCode).toBe(0)
    const back = ['import', path, '--from', from]
    expect(await og(back)).toMatchObject({ added: 0, duplicates: 2, known_relations: 1 })
    const added = { added: 2, duplicates: 0, relations: 1, skipped: [] }
    expect(await og([...back, '-w', `copy-${to}`])).toMatchObject(added)
    const copy = join(world.env.HOME!, homePaths.memory, `copy-${to}`)
    const text = readFileSync(join(copy, 'MEMORY.md'), 'utf8')
    expect(text).toContain('\n\n#ops\nDeploys go out on Tuesdays.\n')
    expect(text).toContain('\n\nStandup\n- is at ten\n- is short\n')
  }
  await world.check(['memory', 'export', 'x', '--dry-run'], {
    exitCode: 2,
    stderr: /^error: Cannot use --dry-run without --to/,
  })
})

/** Runs commands in a network namespace without a connection, if the system allows it. */
const closed = Bun.spawnSync(['unshare', '-rn', 'true']).success
  ? { prefix: ['unshare', '-rn'] }
  : {}

test('writes, searches, relates, backs up, restores and undoes offline in an empty home', async () => {
  await using world = await createWorld({ embeddings: true })
  const memory = (args: string[]) => world.json(['memory', ...args, '--json'], closed)
  await memory(['write', 'The cat prefers tuna for dinner.', '--tag', 'pet'])
  await memory(['write', 'Deploys go out on Tuesdays.'])
  // Waits for the embedding, because a search waits for it only briefly.
  await memory(['sync'])
  const { results } = await memory(['search', 'what should I feed the animal', '-k', '1'])
  expect(results[0]).toMatchObject({ file: 'MEMORY.md', tags: ['pet'], text_score: 0 })
  const { start_line, end_line } = results[0]
  await world.check(
    ['memory', 'read', 'MEMORY.md', '--lines', `${start_line}-${end_line}`],
    { stdout: /^## .*\n\n#pet\nThe cat prefers tuna for dinner\.\n$/ },
    closed,
  )
  await memory(['relate', 'Ann', 'works at', 'Acme'])
  const { content } = await memory(['bootstrap', '--task', 'release'])
  expect(content).toContain('- [Ann] --works at--> [Acme]')
  expect(content).toContain('Deploys go out on Tuesdays.')
  const before = textOf(world)
  const { name } = await memory(['backup'])
  await memory(['write', 'A later fact.'])
  await world.check(
    ['memory', 'restore', '-1', '--yes'],
    {
      stdout: new RegExp(
        `^Restoring backup: ${name}\n  → workspace: .*\n\n\nRestored successfully`,
      ),
      stderr: /^The previous files are in backup /,
    },
    closed,
  )
  expect(textOf(world)).toBe(before)
  expect((await memory(['search', 'later fact', '--mode', 'full-text'])).count).toBe(0)
  await memory(['write', 'A slip.'])
  await world.check(['memory', 'undo'], { stdout: /^Undid append / }, closed)
  expect(textOf(world)).toBe(before)
  const checks: { ok: boolean }[] = await memory(['doctor'])
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})

test('shares one budget between memory and documentation', async () => {
  await using world = await createWorld({ embeddings: true })
  const docs = join(world.folder, 'docs')
  await Bun.write(join(docs, 'deploy.md'), '# Deploying\n\nRun `ship --now` to deploy the site.\n')
  await world.og(['add', 'shipper', '-s', docs, '-v', '1', '--base-url', 'doc:/'])
  await world.og(['memory', 'write', 'We deploy the site on Tuesdays only.'])
  const found = await world.json(['context', 'deploy the site', '--max-tokens', '400', '--json'])
  expect(found.tokens).toBeLessThanOrEqual(400)
  expect(found.memory.entries).toBe(1)
  expect(found.documentation.hits).toMatchObject([{ rank: 1, library: 'shipper' }])
  expect(found.text).toMatch(/on Tuesdays only\.[^]*Quoted documentation, data[^]*ship --now/)
  await world.check(['context', 'x', '-l', 'nothing'], { exitCode: 2, stderr: /"nothing"/ })
})

type Writer = {
  /** Ids of the entries that the server acknowledged; resolves when the server has ended. */
  acknowledged: Promise<string[]>
  /** Resolves after `awaited` acknowledgements. */
  began: Promise<void>
  kill(): void
}

type Batch = { prefix: string; count: number; awaited?: number }

/** A client that writes `count` entries, `PREFIX0`, `PREFIX1`, … and then ends the server. */
function startWriter(world: World, { prefix, count, awaited = 1 }: Batch): Writer {
  const child = Bun.spawn([world.executable, 'memory', 'mcp'], {
    env: { ...world.env, ...withoutModel },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  child.stdin.write(writes(prefix, count))
  child.stdin.flush()
  const began = Promise.withResolvers<void>()
  async function read(): Promise<string[]> {
    const ids: string[] = []
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of child.stdout) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      // An incomplete line is not an acknowledgement.
      rest = lines.pop()!
      for (const line of lines) {
        const { id, result } = JSON.parse(line)
        if (result?.content !== undefined && result.isError !== true) ids.push(id)
      }
      if (ids.length >= awaited) began.resolve()
      if (ids.length === count) child.stdin.end()
    }
    await child.exited
    return ids
  }
  return { acknowledged: read(), began: began.promise, kill: () => child.kill('SIGKILL') }
}

function writes(prefix: string, count: number): string {
  const clientInfo = { name: 'test', version: '1' }
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const calls = Array.from({ length: count }, (_, i) => {
    const given = { file: 'MEMORY.md', content: `heron ${prefix}${i} stands in the reeds` }
    const params = { name: 'memory_write', arguments: given }
    return { id: `${prefix}${i}`, method: 'tools/call', params }
  })
  return [
    { id: 'hello', method: 'initialize', params: hello },
    { method: 'notifications/initialized' },
    ...calls,
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    .join('')
}

/** Returns the names of the entries in the file, and checks that each entry is whole. */
function writtenIn(world: World): string[] {
  const [head = '', ...entries] = textOf(world).split(/^(?=## )/m)
  expect(head).toStartWith('# Memory\n')
  return entries.map((entry) => {
    const found = /^## [\d-]+ [\d:]+\n\nheron (\w+) stands in the reeds\n\n?$/.exec(entry)
    expect(found?.[1] ?? entry).toMatch(/^\w+$/)
    return found![1]!
  })
}

async function checkAgreement(world: World): Promise<void> {
  const checks = await world.json(['memory', 'doctor', '--json'], { env: withoutModel })
  const failed = checks.filter(({ ok }: { ok: boolean }) => !ok)
  expect(failed).toEqual([])
}

// test/memory/ writes 500 entries from each of two processes, without the executable.
test('two processes write 100 entries each, and the file and the index contain all 200', async () => {
  await using world = await createWorld()
  const run = { env: withoutModel }
  const both = ['a', 'b'].map((prefix) => startWriter(world, { prefix, count: 100 }).acknowledged)
  expect((await Promise.all(both)).flat()).toHaveLength(200)
  expect(new Set(writtenIn(world)).size).toBe(200)
  await checkAgreement(world)
  const { results } = await world.json(['memory', 'search', 'b99', '--json'], run)
  expect(results[0].text).toContain('heron b99 stands')
})

// test/memory/ kills processes at more moments, without the executable.
test('kill -9 at ten moments of writing neither loses nor truncates an acknowledged entry', async () => {
  await using world = await createWorld()
  const run = { env: withoutModel }
  await world.og(['memory', 'list'], run)
  const said: string[] = []
  for (let at = 0; at < 10; at++) {
    const writer = startWriter(world, { prefix: `k${at}x`, count: 150, awaited: 1 + 5 * at })
    // Every fifth writer is killed at its start, the others after more and more acknowledgements.
    if (at % 5 < 4) await writer.began
    writer.kill()
    const acknowledged = await writer.acknowledged
    said.push(...acknowledged)
    // Searches before any other process opens the memory.
    if (at % 3 === 0 && acknowledged.length > 0) await checkFound(world, acknowledged.at(-1)!)
  }
  await checkAgreement(world)
  const written = writtenIn(world)
  expect(said.length).toBeGreaterThan(30)
  expect(new Set(said).difference(new Set(written))).toEqual(new Set())
  expect(new Set(written).size).toBe(written.length)
  await checkFound(world, said.at(-1)!)
})

async function checkFound(world: World, name: string): Promise<void> {
  const search = ['memory', 'search', name, '-k', '1', '--json']
  const { results } = await world.json(search, { env: withoutModel })
  expect(results[0]?.text).toContain(`heron ${name} stands`)
}

test('kill -9 of og memory write keeps every entry that was printed', async () => {
  await using world = await createWorld()
  const said: string[] = []
  for (let at = 0; at < 10; at++) {
    const word = `w${at}`
    const args = ['memory', 'write', `heron ${word} stands in the reeds`]
    const running = world.start(args, { env: withoutModel })
    await Bun.sleep(20 + 10 * at)
    running.kill('SIGKILL')
    if ((await running.ended).stdout.startsWith('Added entry')) said.push(word)
  }
  await world.og(['memory', 'write', 'heron end stands in the reeds'], { env: withoutModel })
  expect(new Set([...said, 'end']).difference(new Set(writtenIn(world)))).toEqual(new Set())
  await checkAgreement(world)
})

test('rebuilds a deleted or damaged index from the files', async () => {
  await using world = await createWorld()
  const run = { env: withoutModel }
  await world.og(['memory', 'write', 'The heron stands in the reeds.'], run)
  const index = join(folder(world), '.index')
  const found = async () => (await world.json(['memory', 'search', 'heron', '--json'], run)).count
  rmSync(index, { recursive: true })
  expect(await found()).toBe(1)
  writeFileSync(join(index, 'og.db'), 'garbage')
  expect(await found()).toBe(1)
  expect(existsSync(join(index, 'og.db'))).toBe(true)
})
