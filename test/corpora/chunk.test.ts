import { describe, expect } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import type { Chunk } from '../../src/chunk/chunk.ts'
import { chunkPage, embeddedText } from '../../src/chunk/chunk.ts'
import { openTokenizer } from '../../src/embed/tokenizer.ts'
import { pageExtensions } from '../../src/formats/formats.ts'
import { parsePage } from '../../src/page/parse.ts'
import { countWords } from '../support/count-words.ts'
import { testWhere } from '../support/where.ts'

const root = join(import.meta.dir, '../..')
const corpora = process.env.OG_CORPORA ?? resolve(root, '../shared/corpora')
const tokenizer = join(root, 'build/model/tokenizer.json')
const countTokens = existsSync(tokenizer) ? openTokenizer(tokenizer).count : countWords
if (countTokens === countWords) console.error('no build/model/tokenizer.json: tokens are estimated')

describe('the chunks of every file of the corpora cover it completely, each within 512 tokens', () => {
  check('fastapi.bundle', ['git', 'clone', '-q', '-b', '0.115.0'], 300)
  check('vite.bundle', ['git', 'clone', '-q', '-b', 'v6.0.0'], 30)
  check('ray-docs.tar.zst', null, 500)
  check('mongodb-manual.tar.zst', null, 1200)
})

/** Chunks all documentation files of one corpus, which has at least this many. */
function check(name: string, clone: string[] | null, atLeast: number) {
  const file = join(corpora, name)
  const lack = existsSync(file) ? null : `no ${file}; OG_CORPORA names the folder of corpora`
  testWhere(lack)(
    name,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'og-corpus-'))
      try {
        run(clone === null ? unpack(file, folder) : [...clone, file, join(folder, 'x')])
        expect(await checkFiles(folder)).toBeGreaterThanOrEqual(atLeast)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    600_000,
  )
}

function unpack(file: string, folder: string): string[] {
  return ['sh', '-c', 'zstd -dc -- "$1" | tar x -C "$2"', 'sh', file, folder]
}

function run(command: string[]) {
  const { exitCode, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command[0]} failed: ${stderr}`)
}

async function checkFiles(folder: string): Promise<number> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    pageExtensions.includes(extname(path)),
  )
  for (const path of paths) await checkPage(path, readFileSync(join(folder, path)))
  return paths.length
}

async function checkPage(path: string, bytes: Uint8Array) {
  const page = await parsePage({ path, bytes, url: path })
  const chunks = chunkPage(page, { countTokens })
  expect({ path, fault: faultOf(page, chunks) }).toEqual({ path, fault: null })
}

/** Returns the fault of the chunks of a page; null if there is none. */
function faultOf(page: { title: string; text: string }, chunks: Chunk[]): string | null {
  let at = 0
  for (const { chunkIndex, start, end, headings, text } of chunks) {
    if (start !== at) return `chunk ${chunkIndex} starts at ${start}, not at ${at}`
    if (text !== page.text.slice(start, end)) return `chunk ${chunkIndex} is not its range`
    if (text.trim() === '') return `chunk ${chunkIndex} is blank`
    const tokens = countTokens(embeddedText(page, { headings, text })) + 2
    if (tokens > 512) return `chunk ${chunkIndex} has ${tokens} tokens`
    at = end
  }
  if (page.text.trim() === '') return chunks.length === 0 ? null : 'a blank page has chunks'
  return at === page.text.length ? null : `the chunks end at ${at}, not at ${page.text.length}`
}
