/**
 * Runs several writers and readers of one store at the same time: nothing may be lost, in any
 * order.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { readEntries } from '../../src/store/registry.ts'
import { startScript, type Child } from '../../test/support/child.ts'
import type {
  RaceEntry,
  RaceOrder,
  RaceState,
} from '../../test/support/programs/store/race-writer.ts'

export type RaceOptions = {
  rounds: number
  /** Whether one writer is killed at a random moment of this round. */
  isKilling: (round: number) => boolean
  say: (line: string) => void
}

type Writer = { child: Child; model: string }
type Answer = { value: unknown; error: string | null }
/** `answer` is null if the writer was killed; its order may have been carried out. */
type Done = { order: RaceOrder; model: string; answer: Answer | null }
type Library = { live: RaceState | null; previous: RaceState | null }
type Place = { store: string; docs: string }

const libraries = ['oak', 'elm', 'ash', 'fir']
const models = ['one', 'two']
const nothing: Library = { live: null, previous: null }

/**
 * Runs five writers of one store at the same time, each with a random order (add, update, reembed,
 * rollback, remove or nuke), and two readers. After each round, the state of every library must be
 * the result of some sequence of these orders, and every generation in the registry must exist. At
 * the end, no other generation may be left.
 */
export async function races(options: RaceOptions): Promise<{ rounds: number; failures: string[] }> {
  await using temp = await createTempFolder('og-races')
  await using stack = new AsyncDisposableStack()
  const place = { store: join(temp.path, 'store'), docs: join(temp.path, 'docs') }
  const start = (model: string) => ({ model, child: stack.use(startWriter(place, model)) })
  const writers = Array.from({ length: 5 }, (_, i) => start(models[i % 2]!))
  const readers = [start('one'), start('two')]
  const checker = start('one')
  const failures: string[] = []
  let known = new Map<string, Library>(libraries.map((name) => [name, nothing]))
  for (let round = 0; round < options.rounds; round++) {
    const texts = writeTexts(place.docs, round)
    const working = writers.map((writer) => told(writer, randomOrder()))
    const over = Promise.all(working)
    if (options.isKilling(round)) await killOne(writers, start)
    const [done, asked] = await Promise.all([over, askUntil(readers, over)])
    const seen = await told(checker, { verb: 'state', library: '' })
    const found = [
      ...asked,
      ...checkRound({ known, done, texts }, seen.answer!),
      ...strangeErrors(done),
      ...(await checkFolders(checker, place.store)),
    ]
    for (const failure of found) failures.push(`round ${round}: ${failure}`)
    for (const failure of found) options.say(`round ${round}: ${failure}`)
    known = librariesOf(seen.answer!)
    if ((round + 1) % 100 === 0) options.say(`${round + 1} rounds, ${failures.length} failures`)
  }
  for (const { child } of readers) await child.kill()
  failures.push(...(await checkFolders(checker, place.store, true)))
  return { rounds: options.rounds, failures }
}

function startWriter({ store, docs }: Place, model: string): Child {
  return startScript('store/race-writer.ts', [store, docs, model])
}

/**
 * Writes texts that are unique to the round, so that every state of a library can be recognized.
 */
function writeTexts(docs: string, round: number): Map<string, string> {
  return new Map(
    libraries.map((library) => {
      const text = `# Page\n\nThe state of the page is ${library} in round ${round}.\n`
      mkdirSync(join(docs, library), { recursive: true })
      writeFileSync(join(docs, library, 'page.md'), text)
      return [library, text]
    }),
  )
}

function randomOrder(): RaceOrder {
  const verbs = ['add', 'add', 'add', 'update', 'reembed', 'rollback', 'remove'] as const
  const verb = Math.random() < 0.04 ? 'nuke' : randomOf(verbs)
  return { verb, library: randomOf(libraries) }
}

async function told({ child, model }: Writer, order: RaceOrder): Promise<Done> {
  child.write(`${JSON.stringify(order)}\n`)
  const line = await child.line()
  return { order, model, answer: line === null ? null : JSON.parse(line) }
}

/**
 * Kills a random writer during a round. Its replacement starts while the others are still working.
 */
async function killOne(writers: Writer[], start: (model: string) => Writer): Promise<void> {
  const at = Math.floor(Math.random() * writers.length)
  const { child, model } = writers[at]!
  writers[at] = start(model)
  await Bun.sleep(Math.random() * 250)
  await child.kill()
}

/** Searches until `over` resolves. @returns the faults of the answers */
async function askUntil(readers: Writer[], over: Promise<unknown>): Promise<string[]> {
  let isOver = false
  void over.finally(() => (isOver = true))
  const failures = readers.map(async (reader) => {
    const found: string[] = []
    while (!isOver) {
      const { answer } = await told(reader, { verb: 'ask', library: '' })
      if (answer!.error !== null) found.push(`a reader: ${answer!.error}`)
      const isOwn = (hit: string) => hit.includes(`is ${hit.split(' ')[0]} in round`)
      const strange = (answer!.value as string[] | null)?.find((hit) => !isOwn(hit))
      if (strange !== undefined) found.push(`a reader was shown ${strange}`)
    }
    return found
  })
  return (await Promise.all(failures)).flat()
}

type Round = { known: Map<string, Library>; done: Done[]; texts: Map<string, string> }

function checkRound({ known, done, texts }: Round, seen: Answer): string[] {
  if (seen.error !== null) return [`the store cannot be read: ${seen.error}`]
  const found = librariesOf(seen)
  return libraries.flatMap((library) => {
    const mine = done.filter(({ order }) => order.verb === 'nuke' || order.library === library)
    const possible = outcomesOf(known.get(library)!, mine, texts.get(library)!)
    const state = JSON.stringify(found.get(library))
    if (possible.has(state)) return []
    const orders = mine.map(
      ({ order, model, answer }) =>
        `${order.verb} (${model}): ${answer === null ? 'killed' : (answer.error ?? 'done')}`,
    )
    const before = JSON.stringify(known.get(library))
    return [`${library} was ${before}, is ${state}; ${orders.join('; ')}`]
  })
}

function librariesOf({ value }: Answer): Map<string, Library> {
  const entries = (value ?? []) as RaceEntry[]
  return new Map(
    libraries.map((name) => {
      const entry = entries.find(({ library }) => library === name)
      return [name, entry ? { live: entry.live, previous: entry.previous } : nothing]
    }),
  )
}

/**
 * Returns every state to which some sequence of the orders leads. Each acknowledged order is part
 * of every sequence.
 */
function outcomesOf(from: Library, done: Done[], text: string): Set<string> {
  if (done.length === 0) return new Set([JSON.stringify(from)])
  const outcomes = new Set<string>()
  for (const [i, first] of done.entries()) {
    const rest = done.toSpliced(i, 1)
    const after = applied(from, first, text)
    // The order of a killed writer may or may not have been carried out; a refused order changed
    // nothing.
    const states = first.answer?.error === null ? [after] : first.answer ? [from] : [from, after]
    for (const state of states.filter((it) => it !== null)) {
      for (const end of outcomesOf(state, rest, text)) outcomes.add(end)
    }
  }
  return outcomes
}

/** Returns the state of a library after an order, or null if the order is impossible. */
function applied(library: Library, { order, model }: Done, text: string): Library | null {
  const { live, previous } = library
  if (order.verb === 'nuke') return nothing
  if (order.verb !== 'add' && live === null) return null
  if (order.verb === 'remove') return nothing
  if (order.verb === 'rollback') return previous && { live: previous, previous: live }
  const made = { text: order.verb === 'reembed' ? live!.text : text, model }
  return Bun.deepEquals(made, live) ? { live, previous } : { live: made, previous: live }
}

/**
 * Checks that every generation in the registry exists. If `isOver` is set, there are no readers any
 * more, and no other generation may exist.
 */
async function checkFolders(checker: Writer, store: string, isOver = false): Promise<string[]> {
  await told(checker, { verb: 'sweep', library: '' })
  const root = join(store, 'generations')
  const there = existsSync(root) ? readdirSync(root) : []
  const named = (await readEntries(store)).flatMap(({ live, previous }) =>
    previous === null ? [live.id] : [live.id, previous.id],
  )
  const lost = named.filter((id) => !there.includes(id)).map((id) => `${id} is named and not there`)
  const left = there.filter((id) => !named.includes(id)).map((id) => `${id} is left over`)
  return isOver ? [...lost, ...left] : lost
}

/** Returns all errors except the expected ones, which mean that another writer was faster. */
function strangeErrors(done: Done[]): string[] {
  const usual =
    /^Library "\w+" not found$|: it has no previous state$|: it was removed in the meantime$/
  return done.flatMap(({ order, answer }) => {
    const error = answer?.error ?? null
    return error === null || usual.test(error) ? [] : [`${order.verb}: ${error}`]
  })
}

function randomOf<T>(all: readonly T[]): T {
  return all[Math.floor(Math.random() * all.length)]!
}
