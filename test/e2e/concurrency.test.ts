import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { probeText } from '../../src/embed/probe.ts'
import { createWorld, type Ran, type World } from '../support/e2e.ts'
import { serveEmbeddings } from '../support/servers/embedding-server.ts'
import { writeFiles } from '../support/repository.ts'

const nPages = 10

/** Writes a folder of pages that all contain the given word. */
function docs(world: World, word: string): string {
  const page = (at: number) => `# Page ${at}\n\nThis page, number ${at}, is about the ${word}.\n`
  const files = Array.from({ length: nPages }, (_, at) => [`page${at}.md`, page(at)])
  const folder = join(world.folder, `docs of ${word}`)
  writeFiles(folder, Object.fromEntries(files))
  return folder
}

const add = (library: string, source: string) => [
  'add',
  library,
  '-s',
  source,
  '-v',
  '1',
  '--base-url',
  `https://${library}.example`,
  '--json',
]

function succeeded(ran: Ran): Ran {
  // Notes about a replaced source and about a slow lock are not failures.
  const notes = /^(?:warning: \w+ 1 is replaced: |waiting for another og that uses ).*\n/gm
  const stderr = ran.stderr.replace(notes, '')
  expect({ ...ran, stderr }).toMatchObject({ exitCode: 0, stderr: '' })
  return ran
}

/**
 * Queries until `until` settles; each answer must be complete and from a single state.
 * @returns the number of queries
 */
async function askMeanwhile(world: World, until: Promise<unknown>): Promise<number> {
  let isOver = false
  const over = until.finally(() => (isOver = true))
  let nAnswers = 0
  while (!isOver) {
    const [answer, listed, page] = await Promise.all([
      world.og(['query', 'owl lynx', '--json', '-k', '100', '-l', 'forest']),
      world.json(['list', '--json']),
      world.og(['get', 'https://forest.example/page3.md', '-l', 'forest']),
    ])
    const { hits } = JSON.parse(succeeded(answer).stdout)
    expect(hits.length).toBe(nPages)
    const words = hits.map((hit: { text: string }) => hit.text.match(/owl|lynx/)![0])
    expect(new Set(words).size).toBe(1)
    for (const it of listed) expect(it).toMatchObject({ pages: nPages, chunks: nPages })
    expect(succeeded(page).stdout).toMatch(/^# Page 3\n\nThis page.* is about the (owl|lynx)\.\n$/)
    nAnswers++
  }
  await over
  return nAnswers
}

test('adds several libraries at once while queries run', async () => {
  await using world = await createWorld()
  const folders = [docs(world, 'owl'), docs(world, 'lynx')]
  succeeded(await world.og(add('forest', folders[0]!)))
  const replaceForest = async () => {
    for (const at of [1, 0]) succeeded(await world.og(add('forest', folders[at]!)))
  }
  const addOthers = async () => {
    for (const name of ['lake', 'hill', 'moor']) {
      succeeded(await world.og(add(name, docs(world, name))))
    }
  }
  const nAnswers = await askMeanwhile(world, Promise.all([replaceForest(), addOthers()]))
  expect(nAnswers).toBeGreaterThan(1)
  const listed = await world.json(['list', '--json'])
  expect(listed.map((it: { library: string }) => it.library)).toEqual([
    'forest',
    'hill',
    'lake',
    'moor',
  ])
  for (const { library } of listed.slice(1)) {
    const { hits } = await world.json(['query', library, '-k', '100', '--json'])
    expect(new Set(hits.map((hit: { library: string }) => hit.library))).toEqual(new Set([library]))
  }
})

test('the second writer of a version waits or gives up, and writers of other versions continue', async () => {
  await using world = await createWorld()
  await using server = serveEmbeddings()
  const owls = docs(world, 'owl')
  const embedded = { env: server.env }
  const release = server.hold()
  const first = world.start(add('forest', owls), embedded)
  while (server.texts.length === 0) await Bun.sleep(5)
  // The first process holds the lock until the service answers.
  await world.check([...add('FOREST', owls), '--lock-timeout', '0'], {
    exitCode: 2,
    stderr: `error: Cannot lock library "FOREST" version "1": another process is writing it \
(waited 0 s)
hint: wait for it to end, or give a longer --lock-timeout
`,
  })
  succeeded(await world.og(add('lake', docs(world, 'lake'))))
  succeeded(await world.og(['query', 'lake', '--json']))
  const other = ['add', 'forest', '-s', owls, '-v', '2', '--json']
  succeeded(await world.og(other))
  const said = join(world.folder, 'said')
  const prefix = ['bash', '-c', `exec "$@" 2>'${said}'`, 'bash']
  const second = world.start(add('forest', owls), { ...embedded, prefix })
  const words = () => (existsSync(said) ? readFileSync(said, 'utf8') : '')
  while (!words().includes('\n')) await Bun.sleep(5)
  expect(words()).toBe('forest: waiting for another og that writes it\n')
  release()
  const [done, waited] = [await first.ended, await second.ended]
  expect(succeeded(done).stdout).toContain('"status": "added"')
  expect(waited.exitCode).toBe(0)
  expect(waited.stdout).toContain('"status": "unchanged"')
  expect(server.texts.filter((it) => it !== probeText)).toHaveLength(nPages)
})

test('remove waits until a running writer has finished', async () => {
  await using world = await createWorld()
  await using server = serveEmbeddings()
  succeeded(await world.og(add('forest', docs(world, 'owl'))))
  const release = server.hold()
  const first = world.start(add('forest', docs(world, 'lynx')), { env: server.env })
  while (server.texts.length === 0) await Bun.sleep(5)
  const remove = ['remove', 'forest', '-v', '1', '-y']
  await world.check([...remove, '--lock-timeout', '0'], {
    exitCode: 2,
    stderr: /^error: Cannot lock library "forest" version "1"/,
  })
  expect((await world.json(['query', 'owl', '--json', '-k', '100'])).hits.length).toBe(nPages)
  release()
  expect((await first.ended).exitCode).toBe(0)
  await world.check(remove, { stderr: 'Deleted forest 1 (10 pages, 10 chunks).\n' })
  expect(readdirSync(join(world.store, 'generations'))).toEqual([])
})

test('keeps a generation open for its reader, and lets the reader switch to the new one', async () => {
  await using world = await createWorld()
  const [owls, lynxes] = [docs(world, 'owl'), docs(world, 'lynx')]
  succeeded(await world.og(add('forest', owls)))
  const generations = () => readdirSync(join(world.store, 'generations'))
  const [opened] = generations()
  const fifo = join(world.folder, 'questions')
  const answers = join(world.folder, 'answers')
  Bun.spawnSync(['mkfifo', fifo])
  const prefix = ['bash', '-c', `exec "$@" <>'${fifo}' >'${answers}'`, 'bash']
  const reader = world.start(['query', '-', '--jsonl', '-k', '100'], { prefix })
  const answer = async (at: number) => {
    Bun.spawnSync(['bash', '-c', `echo 'owl lynx' > '${fifo}'`])
    const lines = () => (existsSync(answers) ? readFileSync(answers, 'utf8').split('\n') : [])
    while (lines().length < at + 2) await Bun.sleep(5)
    const { hits } = JSON.parse(lines()[at]!)
    expect(hits.length).toBe(nPages)
    return hits[0].text.match(/owl|lynx/)[0]
  }
  expect(await answer(0)).toBe('owl')
  for (const folder of [lynxes, owls, lynxes]) succeeded(await world.og(add('forest', folder)))
  expect(generations()).toContain(opened!)
  expect(await answer(1)).toBe('lynx')
  reader.kill('SIGTERM')
  await reader.ended
  succeeded(await world.og(add('forest', owls)))
  expect(generations()).not.toContain(opened!)
  expect(generations().length).toBe(2)
})
