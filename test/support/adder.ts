/** Adds a folder by a slow embedder, telling how far it is: `adder.ts STORE NAME FOLDER DELAY`. */
import type { AddProgress } from '../../src/library/library.ts'
import { hashEmbedder } from './hash-embedder.ts'
import { openTestStore } from './test-store.ts'

const [folder = '', library = '', docs = '', delayMs = '0'] = process.argv.slice(2)
using store = openTestStore(folder, { embedder: hashEmbedder({ delayMs: Number(delayMs) }) })
const onProgress = ({ phase, embedded }: AddProgress) => {
  process.stdout.write(`${phase} ${embedded}\n`)
}
const { status } = await store.add(library, docs, { onProgress })
process.stdout.write(`${status}\n`)
