/**
 * Builds a store of any size without computing embeddings, by repeating the chunks of libraries in
 * another store. Each copy has its own page URLs, some words that no other copy has, and embeddings
 * with added noise.
 */
import { connect } from '@lancedb/lancedb'
import { join } from 'node:path'
import { indexTermsOf } from '../../src/chunk/terms.ts'
import { sha256 } from '../../src/platform/hash.ts'
import { embeddingsOf } from '../../src/store/lance.ts'
import { chunkColumns, type ChunkRow } from '../../src/store/chunks/chunk-table.ts'
import { createGeneration, type GenerationWriter } from '../../src/store/generation.ts'
import type { PageRow } from '../../src/store/pages/page-table.ts'
import { changeEntries, readEntries, type Entry } from '../../src/store/registry.ts'

/** Amplitude of the noise: the cosine between a copy's embedding and the original is about 0.93. */
const noise = 0.035

/**
 * Builds one library of `rows` chunks in the store `folder` from `libraries` in the store `from`.
 * The new library has the name of the first of them. @returns the id of its generation
 */
export async function createBigStore(
  folder: string,
  { from, libraries, rows }: { from: string; libraries: readonly string[]; rows: number },
): Promise<string> {
  const entries = (await readEntries(from)).filter(({ library }) => libraries.includes(library))
  const { live, ...entry } = entries.find(({ library }) => library === libraries[0])!
  using writer = await createGeneration(folder)
  const done = { chunks: 0, pages: 0 }
  for (let copy = 0; done.chunks < rows; copy++) {
    for (const one of entries) {
      if (done.chunks < rows) await appendCopy(writer, { from, entry: one, copy, rows, done })
    }
  }
  await writer.finish()
  const { id } = writer
  await changeEntries(folder, () => [
    { ...entry, live: { ...live, id, ...done, contentHash: sha256(id) }, previous: null },
  ])
  return id
}

type Copying = {
  from: string
  entry: Entry
  copy: number
  rows: number
  done: { chunks: number; pages: number }
}

async function appendCopy(
  writer: GenerationWriter,
  { from, entry, copy, rows, done }: Copying,
): Promise<void> {
  const vary = variation(copy)
  const dimensions = entry.live.fingerprint!.dimensions
  const database = await connect(join(from, 'generations', entry.live.id))
  const renamed = (row: any) => ({ ...row, url: `${row.url}?copy=${copy}` })
  const pages = await database.openTable('pages')
  for await (const batch of pages.query()) {
    const copies = batch.toArray().map((row) => renamed(row.toJSON()))
    done.pages += copies.length
    await writer.appendPages(
      copies.map(
        (row): PageRow => ({
          ...row,
          path: `edition-${copy}/${row.path.replace(/^\/+/, '')}`,
          text: vary.text(row.text),
          hash: sha256(row.url + row.hash),
        }),
      ),
    )
  }
  const chunks = await database.openTable('chunks')
  for await (const batch of chunks.query().select([...chunkColumns, 'vector'])) {
    const part = batch.toArray().slice(0, rows - done.chunks)
    const block = embeddingsOf(batch, dimensions).slice(0, part.length * dimensions)
    if (copy > 0) addNoise(block, dimensions)
    const copies = part.map((row): ChunkRow => {
      const { vector: _, ...whole } = renamed(row.toJSON())
      return { ...whole, content: vary.text(whole.content), terms: vary.terms(whole.terms) }
    })
    done.chunks += part.length
    if (part.length > 0) await writer.appendChunks(copies, { block, dimensions })
    Bun.gc(true)
  }
  database.close()
}

/** Each copy changes one in this many words. */
const changedShare = 40

/**
 * Replaces the same words throughout a copy, each with a word of the same length, so that the
 * offsets of chunks stay valid.
 */
function variation(copy: number) {
  if (copy === 0) return { text: (text: string) => text, terms: (terms: string) => terms }
  const changed = new Map<string, string>()
  const changedWord = (word: string): string => {
    const known = changed.get(word) ?? variantOf(word, copy)
    changed.set(word, known)
    return known
  }
  const changedTerms = new Map<string, string>()
  return {
    text: (text: string) =>
      text.replace(/[a-z]{6,20}/g, (word) => {
        const other = changedWord(word)
        if (other !== word)
          changedTerms.set(indexTermsOf(word)[0] ?? '', indexTermsOf(other)[0] ?? '')
        return other
      }),
    /** Must run after `text` of the same pages, which collects the changed terms. */
    terms: (list: string) =>
      list
        .split(' ')
        .map((term) => changedTerms.get(term) ?? term)
        .join(' '),
  }
}

function variantOf(word: string, copy: number): string {
  const hash = Number(Bun.hash(`${copy} ${word}`) & 0xffffffffn)
  if (hash % changedShare !== 0) return word
  const moved = (letter: string, i: number) =>
    String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + (hash >>> (i % 16))) % 26))
  return [...word].map(moved).join('')
}

function addNoise(block: Float32Array, dimensions: number): void {
  for (let from = 0; from < block.length; from += dimensions) {
    let squares = 0
    for (let i = from; i < from + dimensions; i++) {
      block[i]! += noise * (Math.random() + Math.random() - 1)
      squares += block[i]! ** 2
    }
    const length = Math.sqrt(squares)
    for (let i = from; i < from + dimensions; i++) block[i]! /= length
  }
}

if (import.meta.main) {
  const [folder, from, rows, ...libraries] = process.argv.slice(2)
  const all = (await readEntries(from!)).filter(({ live }) => live.fingerprint !== null)
  const wanted = libraries.length > 0 ? libraries : all.map(({ library }) => library)
  await createBigStore(folder!, { from: from!, libraries: wanted, rows: Number(rows) })
}
