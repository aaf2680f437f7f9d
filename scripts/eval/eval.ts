/**
 * Measures retrieval quality on the judged questions: `npm run eval [-- SET…]`, JSON on stdout.
 *
 * The sets are ray, mongodb, scifact, fastapi, vite, aws, tasks-fastapi, tasks-ray and
 * tasks-mongodb (test/eval/README.md); if no SET is given, all of them run. Other measurements:
 *
 * - memory: recall on test/eval/memory (eval-memory.ts) and on the conversations of LoCoMo.
 * - engines [SET…]: compares the engines of the embedding model (eval-engines.ts).
 * - refusal [SET…]: asks the questions of each set in every library (eval-refusal.ts).
 * - api: names and facts in API references, and guides indexed with an API reference (eval-api.ts).
 * - facts [FILE]: whether an answer about a package has the requested fact (eval-sufficiency.ts).
 * - documented FOLDER…: documented names that tree-sitter reads (reference/eval-documented.ts).
 * - exports [PACKAGE…]: public names of packages in API references (reference/eval-exports.ts).
 * - names [SET…]: names in a library's documentation (eval-names.ts).
 * - beside [SET…]: asks questions in all libraries at once (eval-beside.ts).
 * - libraries [OG]: a query over 300 libraries (eval-libraries.ts).
 * - sufficiency: whether the shown text contains the answer (eval-sufficiency.ts).
 * - examples: whether the code shown is the requested example (eval-sufficiency.ts).
 * - translated: questions in German and French on indexed libraries (eval-translated.ts).
 * - golden: rewrites test/eval/golden.txt from indexed libraries (eval-golden.ts).
 *
 * The corpora, and the questions of the first three sets, are in the folder OG_SHARED (default:
 * `../shared`, next to the repository). Indexes are kept in build/eval.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/load.ts'
import { openOg, type Og } from '../../src/open.ts'
import type { Question } from '../../src/library/quality/evaluate.ts'
import { printResult } from '../build/result.ts'
import { measureBeside } from './eval-beside.ts'
import { writeGolden } from './eval-golden.ts'
import { measureNames } from './eval-names.ts'
import { measureRefusal } from './eval-refusal.ts'
import { measureFacts, measureSufficiency, sufficiencyQuestions } from './eval-sufficiency.ts'
import { measureTranslated } from './eval-translated.ts'

const root = join(import.meta.dir, '../..')
const shared = process.env.OG_SHARED ?? join(root, '..', 'shared')
/** The folder for unpacked corpora and indexes. */
export const work = join(root, 'build', 'eval')

/** `library` is the set whose library is searched, if it belongs to another set. */
type Set = { folder: string; questions: Question[]; library?: string }

const storeEnvironment = { ...process.env, OG_DB_PATH: join(work, 'store') }

export const sets: Record<string, () => Set> = {
  ray,
  mongodb,
  scifact,
  fastapi,
  vite,
  aws,
  'tasks-fastapi': () => tasks('fastapi', fastapi()),
  'tasks-ray': () => tasks('ray', ray()),
  'tasks-mongodb': () => tasks('mongodb', mongodb()),
}
const sufficiency = ['sufficiency.jsonl', 'sufficiency-control.jsonl'].map((name) =>
  join(root, 'test', 'eval', name),
)
const examples = join(root, 'test', 'eval', 'examples.jsonl')
const facts = join(root, 'test', 'eval', 'facts.jsonl')
const translations = join(root, 'test', 'eval', 'translated.jsonl')
/** Sets that `npm run eval -- names` measures. */
const named = ['fastapi', 'ray', 'vite', 'mongodb', 'aws']

async function main(names: string[]): Promise<void> {
  if (names[0] === 'memory') {
    const { evaluateConversations, evaluateMemory } = await import('./eval-memory.ts')
    printResult('memory-recall', await evaluateMemory())
    if (!existsSync(join(shared, 'eval'))) return
    const conversations = join(unpacked('../eval/locomo-dev.tar.zst', 'locomo'), 'locomo-dev')
    printResult('memory-locomo', await evaluateConversations(conversations))
    return
  }
  if (names[0] === 'libraries') {
    const { measureLibraries } = await import('./eval-libraries.ts')
    printResult('libraries', await measureLibraries(names[1]))
    return
  }
  if (names[0] === 'exports' || names[0] === 'documented') return measureReferences(names)
  if (names[0] === 'facts') {
    await using og = openOg(await loadConfig(storeEnvironment), () => {})
    printResult('facts', await measureFacts(og, { file: names[1] ?? facts, work }))
    return
  }
  if (!existsSync(join(shared, 'eval'))) {
    process.stderr.write(`skipped: no judged questions at ${shared} (set OG_SHARED)\n`)
    return
  }
  if (names[0] === 'engines') {
    const { compareEngines } = await import('./eval-engines.ts')
    const wanted = names.length > 1 ? names.slice(1) : ['ray', 'scifact']
    const asked = Object.fromEntries(wanted.map((name) => [name, sets[name]!()]))
    printResult('engines', await compareEngines(asked))
    return
  }
  const config = await loadConfig(storeEnvironment)
  await using og = openOg(config, (line) => process.stderr.write(`${line}\n`))
  if (names[0] === 'golden') return await writeGolden(og, join(root, 'test', 'eval', 'golden.txt'))
  if (names[0] === 'translated') {
    const asked = { questions: translations, folder: fastapi().folder }
    printResult('translated', await measureTranslated(og, asked))
    return
  }
  if (names[0] === 'api') {
    const { measureApi } = await import('./eval-api.ts')
    const ofApi = join(root, 'test', 'eval', 'api.jsonl')
    printResult('api', await measureApi(og, { guides: fastapi(), facts: ofApi, work }))
    return
  }
  const measure = measures[names[0] ?? '']
  const wanted = measure === undefined ? names : names.slice(1)
  const libraries: Record<string, Asked> = {}
  const report: Record<string, unknown> = {}
  for (const name of wanted.length > 0 ? wanted : (measure?.sets ?? Object.keys(sets))) {
    const { folder, questions, library = name } = sets[name]!()
    libraries[name] = { library, questions }
    const chunks = await index(og, { name, library, folder })
    if (measure !== undefined) continue
    const asked = { library, version: null, questions, without: ['evidence' as const] }
    report[name] = { chunks, ...(await og.evaluate(asked)) }
  }
  if (measure === undefined) return printResult('ranking', report)
  printResult(names[0]!, await measure.run(og, libraries))
}

async function measureReferences([measure, ...rest]: string[]): Promise<void> {
  if (measure === 'exports') {
    const { measureExports } = await import('./reference/eval-exports.ts')
    return printResult('exports', await measureExports(work, rest))
  }
  const { measureDocumented } = await import('./reference/eval-documented.ts')
  printResult('documented', await measureDocumented(rest))
}

type Asked = { library: string; questions: readonly Question[] }

/**
 * Measurements of `npm run eval -- NAME`, and the sets whose libraries must be indexed for each.
 */
const measures: Record<
  string,
  { sets: readonly string[]; run(og: Og, libraries: Record<string, Asked>): Promise<unknown> }
> = {
  refusal: { sets: Object.keys(sets), run: measureRefusal },
  beside: { sets: Object.keys(sets), run: measureBeside },
  names: {
    sets: named,
    async run(og, libraries) {
      const figures: Record<string, unknown> = {}
      for (const name of Object.keys(libraries)) figures[name] = await measureNames(og, name)
      return figures
    },
  },
  sufficiency: {
    sets: ['fastapi', 'vite', 'ray'],
    run: (og) => measureSufficiency(og, sufficiencyQuestions(...sufficiency)),
  },
  examples: {
    sets: ['fastapi', 'vite'],
    run: (og) => measureSufficiency(og, sufficiencyQuestions(examples), { codeOnly: true }),
  },
}

/** Indexes a folder as version 1 and returns the number of chunks. */
async function index(
  og: Og,
  { name, library, folder }: { name: string; library: string; folder: string },
): Promise<number> {
  process.stderr.write(`${name}: indexing\n`)
  const { pages, chunks } = await og.add({
    library,
    version: '1',
    source: { kind: 'local_path', path: folder, baseUrl: 'eval:/' },
    lockTimeoutMs: 600_000,
    onProgress: progressLine(name),
  })
  process.stderr.write(`${name}: ${pages} pages, ${chunks} chunks\n`)
  return chunks
}

function ray(): Set {
  const folder = unpacked('ray-docs.tar.zst', 'ray')
  return { folder: join(folder, 'ray'), questions: judged(join(shared, 'eval', 'ray-dev.jsonl')) }
}

function mongodb(): Set {
  const folder = unpacked('mongodb-manual.tar.zst', 'mongodb')
  const questions = judged(join(shared, 'eval', 'mongodb-dev.jsonl'))
  return { folder: join(folder, 'mongodb'), questions }
}

function aws(): Set {
  const folder = unpacked('aws-guides.tar.zst', 'aws')
  return { folder: join(folder, 'aws'), questions: judged(join(shared, 'eval', 'aws-dev.jsonl')) }
}

/** Returns BEIR SciFact with one page per abstract, which has the abstract's title. */
function scifact(): Set {
  const folder = join(work, 'scifact')
  const lines = (name: string) => {
    const text = decompressed(join(shared, 'eval', 'scifact', name))
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true })
    for (const { _id, title, text } of lines('corpus.jsonl.zst')) {
      const front = `---\ntitle: ${JSON.stringify(title)}\n---\n`
      writeFileSync(join(folder, `${_id}.md`), `${front}${text}\n`)
    }
  }
  const gold = new Map<string, string[]>()
  const judgements = readFileSync(join(shared, 'eval', 'scifact', 'qrels.tsv'), 'utf8')
  for (const line of judgements.trim().split('\n').slice(1)) {
    const [query = '', page = '', score] = line.split('\t')
    if (Number(score) > 0) gold.set(query, [...(gold.get(query) ?? []), `${page}.md`])
  }
  const questions = lines('queries.jsonl.zst')
    .filter(({ _id }) => gold.has(_id))
    .map(({ _id, text }) => ({ id: _id, question: text, gold: gold.get(_id)! }))
  return { folder, questions }
}

function fastapi(): Set {
  const folder = join(cloned('fastapi', '0.115.0'), 'docs', 'en', 'docs')
  return { folder, questions: judged(join(root, 'test', 'eval', 'fastapi.jsonl')) }
}

function vite(): Set {
  const folder = join(cloned('vite', 'v6.0.0'), 'docs')
  return { folder, questions: judged(join(root, 'test', 'eval', 'vite.jsonl')) }
}

/**
 * Returns the questions about a library that are phrased as tasks, the way people type them at
 * work.
 */
function tasks(library: string, { folder }: Set): Set {
  const all = judged(join(shared, 'eval', 'tasks-dev.jsonl')) as (Question & Partial<Set>)[]
  return { folder, library, questions: all.filter((asked) => asked.library === library) }
}

function judged(path: string): Question[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Clones the whole repository, because its pages include files from outside the indexed folder. */
function cloned(name: string, tag: string): string {
  const folder = join(work, name)
  if (existsSync(folder)) return folder
  const bundle = join(shared, 'corpora', `${name}.bundle`)
  const ran = Bun.spawnSync(['git', 'clone', '-q', '-b', tag, bundle, folder])
  if (ran.exitCode !== 0) throw new Error(`git cannot clone ${bundle}: ${ran.stderr}`)
  // Without `.git`, the version can be any label; in a repository, it must be a tag.
  rmSync(join(folder, '.git'), { recursive: true })
  return folder
}

function unpacked(archive: string, name: string): string {
  const folder = join(work, name)
  if (existsSync(folder)) return folder
  mkdirSync(folder, { recursive: true })
  const tar = decompressed(join(shared, 'corpora', archive), 'bytes')
  const ran = Bun.spawnSync(['tar', 'xf', '-', '-C', folder], { stdin: tar })
  if (ran.exitCode !== 0) throw new Error(`tar cannot unpack ${archive}: ${ran.stderr}`)
  return folder
}

function decompressed(path: string): string
function decompressed(path: string, as: 'bytes'): Uint8Array<ArrayBuffer>
function decompressed(path: string, as?: 'bytes'): string | Uint8Array {
  const bytes = Bun.zstdDecompressSync(readFileSync(path))
  return as === 'bytes' ? new Uint8Array(bytes) : bytes.toString('utf8')
}

function progressLine(name: string) {
  let last = performance.now()
  return ({ embedded, toEmbed }: { embedded: number; toEmbed: number }) => {
    if (performance.now() - last < 10_000) return
    last = performance.now()
    process.stderr.write(`${name}: ${embedded} of about ${toEmbed} chunks embedded\n`)
  }
}

if (import.meta.main) await main(process.argv.slice(2))
