import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from '../../../src/store/registry.ts'
import { createWorld, type World } from '../../support/e2e.ts'
import { writeFiles } from '../../support/repository.ts'

/**
 * Tests kill -9 at random moments: afterwards a reader finds the complete old state or the complete
 * new one, and the next add removes all traces of the killed run.
 */
const nPages = 12
const base = 'https://crash.example'
const words = ['walrus', 'heron'] as const
type Word = (typeof words)[number]

/** Writes pages that all contain the word of this state, and never the word of the other state. */
function writeState(world: World, word: Word): void {
  const page = (at: number) => `# Page ${at}\n\nThis page, number ${at}, is about the ${word}.\n`
  const files = Array.from({ length: nPages }, (_, at) => [`page${at}.md`, page(at)])
  writeFiles(join(world.folder, 'docs'), Object.fromEntries(files))
}

const add = (world: World) => [
  'add',
  'zoo',
  '-s',
  join(world.folder, 'docs'),
  '-v',
  '1',
  '--base-url',
  base,
  '--json',
]

/**
 * Returns the word of the state that list, query and get agree on; null if the library does not
 * exist.
 */
async function stateOf(world: World): Promise<Word | null> {
  const [list, answered, page] = await Promise.all([
    world.json(['list', '--json']),
    world.og(['query', '-', '--jsonl', '-k', '100'], { stdin: words.join('\n') }),
    world.og(['get', `${base}/page7.md`]),
  ])
  // Before the first library is indexed, a query is an error.
  const isEmpty = list.length === 0
  expect(answered.stderr).toMatch(isEmpty ? /^error: Nothing is indexed\nhint: .*\n$/ : /^$/)
  const texts: string[] = answered.stdout
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => JSON.parse(line).hits.map((hit: { text: string }) => hit.text))
  const found = words.filter((word) => texts.some((text) => text.includes(word)))
  if (found.length === 0) {
    expect(list).toEqual([])
    expect(page).toMatchObject({ exitCode: 2, stdout: '' })
    return null
  }
  expect(found.length).toBe(1)
  const word = found[0]!
  expect(new Set(texts.filter((text) => text.includes(word))).size).toBe(nPages)
  expect(list).toMatchObject([{ library: 'zoo', version: '1', pages: nPages, chunks: nPages }])
  expect(page.stdout).toContain(word)
  return word
}

/** Checks that generations/ contains only the generations in the registry. */
function checkSwept(world: World): void {
  const { entries } = JSON.parse(readFileSync(join(world.store, 'registry.json'), 'utf8'))
  const named: string[] = entries.flatMap(({ live, previous }: Entry) =>
    previous === null ? [live.id] : [live.id, previous.id],
  )
  expect(readdirSync(join(world.store, 'generations')).sort()).toEqual(named.sort())
  const loose = readdirSync(world.store).filter((name) => name.startsWith('.'))
  expect(loose).toEqual([])
}

/**
 * Starts an add and kills it after this time.
 * @returns whether it was still running
 */
async function killAfter(world: World, delayMs: number): Promise<boolean> {
  const running = world.start(add(world))
  await Promise.race([Bun.sleep(delayMs), running.ended])
  running.kill('SIGKILL')
  const { exitCode } = await running.ended
  expect([0, 137]).toContain(exitCode)
  return exitCode === 137
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Mulberry32, so that every test run kills at the same moments. */
function* shares(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Trial = { nKills: number; seed: number; embeddings?: true }

async function killWhileAdding({ nKills, seed, ...options }: Trial): Promise<number> {
  await using world = await createWorld(options)
  writeState(world, 'walrus')
  const forget = () => rmSync(world.store, { recursive: true, force: true })
  await world.json(add(world))
  forget()
  const wholeMs = await timed(() => world.json(add(world)))
  let killed = 0
  for (const share of shares(seed).take(nKills)) {
    forget()
    killed += Number(await killAfter(world, share * wholeMs))
    if (existsSync(join(world.store, 'registry.json'))) await stateOf(world)
    else expect(await stateOf(world)).toBeNull()
    const { embedded } = await world.json(add(world))
    if (!options.embeddings) expect(embedded).toBe(0)
    expect(await stateOf(world)).toBe('walrus')
    checkSwept(world)
  }
  return killed
}

async function killWhileReplacing({ nKills, seed, ...options }: Trial): Promise<number> {
  await using world = await createWorld(options)
  writeState(world, words[0])
  await world.json(add(world))
  // A run that was killed before it renamed its new registry leaves this file; the kills below
  // seldom hit that moment.
  writeFileSync(join(world.store, '.registry.json.1.0123456789ab'), '{')
  writeState(world, words[1])
  const wholeMs = await timed(() => world.json(add(world)))
  let killed = 0
  for (const [at, share] of [...shares(seed).take(nKills)].entries()) {
    const [next, now] = at % 2 === 0 ? words : [words[1], words[0]]
    writeState(world, next!)
    const wasRunning = await killAfter(world, share * wholeMs)
    killed += Number(wasRunning)
    const seen = await stateOf(world)
    if (wasRunning) expect([now, next]).toContain(seen as Word)
    else expect(seen).toBe(next!)
    await world.json(add(world))
    expect(await stateOf(world)).toBe(next!)
    checkSwept(world)
  }
  return killed
}

test('survives kill -9 at twenty moments of an add and of a replacement (W-11)', async () => {
  const trials = await Promise.all([
    killWhileAdding({ nKills: 20, seed: 1 }),
    killWhileReplacing({ nKills: 20, seed: 2 }),
  ])
  for (const killed of trials) expect(killed).toBeGreaterThan(0)
})

test('survives kill -9 at four moments of an add and a replacement while embeddings are computed', async () => {
  await Promise.all([
    killWhileAdding({ nKills: 4, seed: 3, embeddings: true }),
    killWhileReplacing({ nKills: 4, seed: 4, embeddings: true }),
  ])
})
