/**
 * Adds a folder and prints its progress: `adder.ts STORE NAME FOLDER DELAY`. The embedder waits
 * DELAY milliseconds at each call, or if DELAY is `held`, until a line is read from stdin.
 */
import type { AddProgress } from '../../../src/library/library.ts'
import { hashEmbedder } from '../hash-embedder.ts'
import { openTestStore } from '../test-store.ts'

const [folder = '', library = '', docs = '', delayMs = '0'] = process.argv.slice(2)
const isHeld = delayMs === 'held'
const released = isHeld ? new Promise((resolve) => process.stdin.once('data', resolve)) : null
const embedder = hashEmbedder({ delayMs: isHeld ? 0 : Number(delayMs) })
const embed: typeof embedder.embed = async (texts) => (await released, embedder.embed(texts))
using store = openTestStore(folder, { embedder: { ...embedder, embed } })
const onProgress = ({ phase, embedded }: AddProgress) => {
  process.stdout.write(`${phase} ${embedded}\n`)
}
const { status } = await store.add(library, docs, { onProgress })
process.stdout.write(`${status}\n`)
process.stdin.destroy()
