/**
 * Reads orders from stdin, one JSON line each, runs them on a store, and answers each with a JSON
 * line: `race-writer.ts STORE DOCS MODEL`. Reads each library from the folder with its name in
 * DOCS.
 */
import { join } from 'node:path'
import { reembedLibraries } from '../../../../src/library/add/reembed.ts'
import { removeVersion, rollbackVersion } from '../../../../src/library/rollback.ts'
import { updateLibraries } from '../../../../src/library/add/update.ts'
import { messageOf } from '../../../../src/platform/error.ts'
import { sweepGenerations } from '../../../../src/store/generation.ts'
import { openEntries } from '../../../../src/store/reading.ts'
import { readEntries, type Entry, type Generation } from '../../../../src/store/registry.ts'
import { hashEmbedder } from '../../hash-embedder.ts'
import { kernels } from '../../store.ts'
import { openTestStore } from '../../test-store.ts'
import { clearIndex } from '../../../../src/library/clear.ts'
import type { OpenGeneration } from '../../../../src/store/open-generation.ts'

export type RaceOrder = {
  verb: 'add' | 'update' | 'reembed' | 'rollback' | 'remove' | 'nuke' | 'ask' | 'state' | 'sweep'
  library: string
}
/** The contents of a library version: the text of its page and the model of its embeddings. */
export type RaceState = { text: string; model: string }
export type RaceEntry = { library: string; live: RaceState; previous: RaceState | null }

const [folder = '', docs = '', model = ''] = process.argv.slice(2)
const models = ['one', 'two'].map((name) => hashEmbedder({ fingerprint: { model: name } }))
const embedder = models.find((it) => it.fingerprint.model === model)!
const lockTimeoutMs = 60_000
const settings = { embedder, others: models }

async function obey({ verb, library }: RaceOrder): Promise<unknown> {
  using store = openTestStore(folder, settings)
  const request = { library, version: '1', lockTimeoutMs }
  if (verb === 'add') return (await store.add(library, join(docs, library), request)).status
  if (verb === 'update') return await outcomes(updateLibraries(store.opened, request))
  if (verb === 'reembed') return await outcomes(reembedLibraries(store.opened, request))
  if (verb === 'rollback') return await rollbackVersion(folder, request)
  if (verb === 'remove') return await removeVersion(folder, request)
  if (verb === 'nuke') return await clearIndex(folder, { lockTimeoutMs })
  if (verb === 'sweep') return await sweepGenerations(folder)
  if (verb === 'ask') return await ask()
  return await states()
}

async function outcomes(all: AsyncIterable<{ error: Error | null }>): Promise<void> {
  for await (const { error } of all) if (error !== null) throw error
}

/** A reader that keeps generations open from one query to the next, as a server does. */
const kept = openTestStore(folder, settings)
async function ask(): Promise<string[]> {
  if ((await readEntries(folder)).length === 0) return []
  const hits = await kept.search('state of the page', { limit: 20 }).catch((error) => {
    // The libraries of the index have been removed in the meantime.
    if (/nothing is indexed|no library/i.test(messageOf(error))) return []
    throw error
  })
  return hits.map(({ library, text }) => `${library} ${text}`)
}

async function states(): Promise<RaceEntry[]> {
  return Promise.all(
    (await readEntries(folder)).map(async (entry) => ({
      library: entry.library,
      live: await stateOf(entry, entry.live),
      previous: entry.previous && (await stateOf(entry, entry.previous)),
    })),
  )
}

async function stateOf(entry: Entry, generation: Generation): Promise<RaceState> {
  const pick = () => [{ ...entry, live: generation }]
  const { opened } = await openEntries(folder, kernels, { pick, openIds: new Set() })
  using open = opened[0] as OpenGeneration
  const texts = (await Array.fromAsync(open.pages())).flat().map(({ text }) => text)
  const found = await open.fullText(['page'], 10)
  if (texts.length !== 1 || found.length !== 1) throw new Error(`${texts.length} pages`)
  return { text: texts[0]!, model: generation.fingerprint!.model }
}

for await (const line of console) {
  const answer = await obey(JSON.parse(line)).then(
    (value) => ({ value: value ?? null, error: null }),
    (error) => ({ value: null, error: messageOf(error) }),
  )
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
