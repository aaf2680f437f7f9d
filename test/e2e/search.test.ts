import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createWorld, type World } from '../support/e2e.ts'
import { until } from '../support/until.ts'

const wick = (days: number) =>
  `# Wick\n\nWhat burns.\n\n## Trimming\n\nTrim the wick every ${days} days:\n\n` +
  '```sh\nlamp trim --wick\nlamp light\n```\n'

/**
 * Adds three versions of a lamp library, the last with a different trimming interval, and a kettle
 * library.
 */
async function add(world: World): Promise<void> {
  const versions: [string, number][] = [
    ['1.0.0', 7],
    ['1.1.0', 7],
    ['2.0.0', 30],
  ]
  for (const [version, days] of versions) {
    const docs = write(join(world.folder, version), {
      'guide/wick.md': wick(days),
      'guide/oil.md': '# Oil\n\nThe lamp burns oil.\n',
      'reference/lamp.md': '# lamp\n\n`lamp trim --wick` trims the wick of the lamp.\n',
      'changes/wick.md': '# Changes\n\nThe wick of the lamp is trimmed.\n',
      'de/guide/wick.md': '# Docht\n\n## Kürzen\n\nDer Docht der Lampe: `lamp trim --wick`.\n',
    })
    const source = ['-s', docs, '-v', version, '--language', '*']
    const { exitCode, stderr } = await world.og(['add', 'lamp', ...source])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  }
  const kettle = write(join(world.folder, 'kettle'), { 'a.md': '# Kettle\n\nNo wick, no lamp.\n' })
  await world.og(['add', 'kettle', '-s', kettle])
}

function write(folder: string, files: Record<string, string>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/** The world that most tests read. */
let world: World
beforeAll(async () => {
  world = await createWorld()
  await add(world)
})
afterAll(async () => world[Symbol.asyncDispose]())

test('answers several quoted questions, each below its text with one hit', async () => {
  const asked = ['query', 'trim the wick', 'burns oil', '-l', 'lamp', '-v', '2.0.0']
  const { stdout, exitCode } = await world.og(asked)
  const [first = '', second = '', ...others] = stdout.split(/^\n(?===> )/m)
  expect({ exitCode, others }).toEqual({ exitCode: 0, others: [] })
  expect(first).toStartWith('==> trim the wick <==\nFound 1 match in lamp 2.0.0. Quoted text is ')
  expect(first).toContain('\nAlso: ')
  expect(second).toMatch(/^==> burns oil <==\nFound 1 match in lamp 2\.0\.0\.\n(.*\n)?1\. Oil/)
  const more = await world.og([...asked, '-k', '2'])
  expect(more.stdout.match(/^Found 2 matches/gm)).toHaveLength(2)
  const answers = await world.json([...asked, '--json'])
  expect(answers.map(({ query }: any) => query)).toEqual(asked.slice(1, 3))
  expect(answers[0].hits.length).toBeGreaterThan(1)
  const lines = (await world.og([...asked, '--jsonl'])).stdout.trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).query)).toEqual(asked.slice(1, 3))
  const unknown = await world.og(['query', 'trim the wick', 'zyzzyva qwertz', '-l', 'lamp'])
  expect(unknown.exitCode).toBe(1)
  expect(unknown.stdout).toContain('==> zyzzyva qwertz <==\nFound 0 matches.')
  const notes = unknown.stderr.match(/also indexed/g)
  expect(notes).toHaveLength(1)
})

test('narrows and widens a search with options', async () => {
  async function check(args: string[], expected: string[]) {
    const { hits } = await world.json(['query', 'lamp wick', '--json', '-k', '20', ...args])
    const found = hits.map(
      (hit: any) => `${hit.library} ${hit.version.replace(/^local-.*/, 'local')} ${hit.path}`,
    )
    expect([...new Set(found)].sort()).toEqual(expected.sort())
  }
  const of = (version: string, ...paths: string[]) => paths.map((path) => `lamp ${version} ${path}`)
  const [changes, reference] = ['changes/wick.md', 'reference/lamp.md']
  const guides = ['guide/oil.md', 'guide/wick.md']
  await check(['-l', 'lamp', '--kind', 'reference'], of('2.0.0', reference))
  await check(['-l', 'lamp', '--kind', 'reference,changelog'], of('2.0.0', reference, changes))
  await check(['-l', 'lamp', '--language', 'de'], of('2.0.0', 'de/guide/wick.md'))
  await check(['-l', 'lamp', '--path', 'guide/**'], of('2.0.0', ...guides))
  await check(
    ['-l', 'lamp', '--path', 'guide', '--path', '!*oil*', '--language', 'en'],
    of('2.0.0', 'guide/wick.md'),
  )
  await check(
    ['-l', 'lamp,kettle', '--path', '*.md', '--kind', 'guide', '--language', 'en'],
    [...of('2.0.0', ...guides), 'kettle local a.md'],
  )
  await check(['-l', 'lamp', '-l', 'kettle', '--path', 'a.md'], ['kettle local a.md'])
  await check(
    ['-l', 'lamp', '-v', '<2', '--path', 'guide/wick.md', '--language', 'en'],
    of('1.1.0', 'guide/wick.md'),
  )
})

test('reads one hit, and lists the versions with the same text', async () => {
  const asked = ['query', 'lamp trim', '-l', 'lamp', '--path', 'guide/wick.md', '-k', '5']
  await world.check([...asked, '-v', 'all', '--language', 'en'], {
    stdout: new RegExp(
      '^Found 2 matches\\. [^]*\\n\\d\\. lamp 1\\.1\\.0: Wick [^\\n]* lines 1-12, ' +
        'the same in 1\\.0\\.0\\n[^]*```sh\\nlamp trim --wick\\nlamp light\\n```\\n',
    ),
  })
  const { hits } = await world.json([...asked, '-v', 'all', '--language', 'en', '--json'])
  const versions = hits.map((hit: any) => hit.versions.join(' '))
  expect(versions.sort()).toEqual(['1.1.0 1.0.0', '2.0.0'])
  const only = await world.json([...asked, '-v', '1.0', '--language', 'en', '--json'])
  expect(only.hits[0]).toMatchObject({ version: '1.0.0', versions: ['1.1.0', '1.0.0'] })
  const narrow = await world.json([...asked, '-v', 'all', '--json', '--max-tokens', '120'])
  expect([narrow.hits.length, narrow.omitted]).toEqual([1, 1])
})

test('returns German pages for a German query, and English pages for an English one', async () => {
  async function check(query: string, language: string | null) {
    const { hits } = await world.json(['query', query, '-l', 'lamp', '--json', '-k', '1'])
    expect(hits[0].language).toBe(language)
  }
  await check('wie kürzt man den Docht der Lampe lamp trim', 'de')
  await check('how do I trim the wick of the lamp', null)
})

test('reports a filter that matches no page, and suggests existing values', async () => {
  const check = (args: string[], stderr: string) =>
    world.check(['query', 'wick', '-l', 'lamp', ...args], { exitCode: 2, stderr })
  await check(
    ['--path', 'giude/**'],
    'error: No page has a path like "giude/**"\n' + 'hint: did you mean "guide"?\n',
  )
  await check(
    ['--language', 'fr'],
    'error: No page is in language "fr"\n' + 'hint: the pages are in de, en\n',
  )
  await check(
    ['--kind', 'blog'],
    'error: Unknown kind of page "blog"\n' +
      'hint: it is one of reference, guide, changelog, api\n',
  )
  await check(
    ['-v', '>=3'],
    'error: Version ">=3" not found for library "lamp"\n' + 'hint: indexed: 1.0.0, 1.1.0, 2.0.0\n',
  )
})

test('returns hits of indexed libraries and lists requested libraries that are not indexed', async () => {
  await world.check(['query', 'lamp wick', '-l', 'lamp', '-v', '1.0.0,9.9', '-k', '1'], {
    exitCode: 1,
    stdout: /^Found 1 match in lamp /,
    stderr: 'warning: Version "9.9" of lamp is not indexed; nearest: 2.0.0, 1.1.0, 1.0.0\n',
  })
  await world.check(['query', 'lamp wick', '-l', 'lamp,lmap', '-k', '1'], {
    exitCode: 1,
    stdout: /^Found 1 match in lamp /,
    stderr:
      'Answered from lamp 2.0.0; also indexed: 1.1.0, 1.0.0.\n' +
      'warning: Library "lmap" is not indexed; nearest: lamp, kettle\n',
  })
})

test('OG_DEBUG=1 traces the steps of an add, a query and an MCP call on stderr', async () => {
  await using world = await createWorld({ embeddings: true })
  const docs = write(join(world.folder, 'docs'), { 'a.md': '# Kettle\n\nDescale the kettle.\n' })
  const env = { OG_DEBUG: '1' }
  const line = /^\[og +[\d.]+ ms\] ([a-z ]+?)(?: \S+=|$)/gm
  const stepsOf = (stderr: string) => [...stderr.matchAll(line)].map(([, step]) => step!)
  const start = ['start', 'parse command', 'load config']
  const end = ['run command', 'flush output']
  const added = await world.og(['add', 'kettle', '-s', docs], { env })
  const steps = stepsOf(added.stderr)
  expect(steps).toEqual([...start, ...steps.slice(3, -2), ...end])
  expect(steps.slice(3, -2)).toEqual(
    expect.arrayContaining([
      'load natives',
      'finish fetching',
      'finish embedding',
      'index generation',
      'publish generation',
    ]),
  )
  const ranking = [
    'load natives',
    'open store',
    'embed query',
    'search lanes',
    'rank chunks',
    'excerpt pages',
    'judge hits',
  ]
  const query = ['query', 'descale kettle', '--json']
  const traced = await world.og(query, { env })
  expect(stepsOf(traced.stderr)).toEqual([...start, ...ranking, ...end])
  expect(await world.og(query)).toEqual({ ...traced, stderr: '' })
  const transport = new StdioClientTransport({
    command: world.executable,
    args: ['mcp'],
    env: { ...world.env, ...env },
    stderr: 'pipe',
  })
  let heard = ''
  transport.stderr!.on('data', (bytes) => void (heard += bytes))
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  await client.callTool({ name: 'search_documents_tool', arguments: { query: 'descale kettle' } })
  await client.close()
  const call = ['receive call', ...ranking, 'answer call']
  await until('the call is answered', () => stepsOf(heard).includes('answer call'))
  const served = stepsOf(heard).filter((step) => call.includes(step))
  expect(served.slice(served.indexOf('receive call'))).toEqual(call)
})
