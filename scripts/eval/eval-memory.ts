import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openMemorySearch, type MemorySearch } from '../../src/memory/index/memory-search.ts'
import {
  defaultRecallSettings,
  type RecallRequest,
} from '../../src/memory/recall/recall-request.ts'
import { createWorkspace, openWorkspace } from '../../src/memory/workspace.ts'
import { openBuiltin } from '../model/memory-embedder.ts'

const root = join(import.meta.dir, '../..')
const folder = join(root, 'test', 'eval', 'memory')
const work = join(root, 'build', 'eval', 'memory')
/** Minimum cosine of the built-in model, the same as in `og memory search`. */
const floor = { minCosine: 0.55 }
const modes = ['full-text', 'vector', 'hybrid'] as const

type Question = { question: string; paraphrased: boolean; gold: string[] }

/**
 * Reports Hit@1 and Hit@5 of recall on the questions of test/eval/memory: for all questions, for
 * those that share words with their entry, and for paraphrased ones.
 */
export async function evaluateMemory() {
  const names = ['requests.md', 'httpx.md', 'ripgrep.md', 'tmux.md']
  rmSync(work, { recursive: true, force: true })
  mkdirSync(join(work, 'eval'), { recursive: true })
  for (const name of names) cpSync(join(folder, name), join(work, 'eval', name))
  const custom = { description: '', maxChars: null, searchable: true, compactable: false }
  const customFiles = names.map((name) => ({ ...custom, name, inject: false }))
  const workspace = await openWorkspace({ root: work, name: 'eval', customFiles })
  await createWorkspace(workspace)
  const { embedder, kernels } = await openBuiltin()
  await using _embedder = embedder
  const warn = (line: string) => process.stderr.write(`${line}\n`)
  await using search = openMemorySearch(workspace, {
    embedder: async () => embedder,
    kernels,
    warn,
  })
  await search.sync()
  process.stderr.write('memory: embedding\n')
  await search.embedAll(600_000)
  const lines = readFileSync(join(folder, 'questions.jsonl'), 'utf8').trim().split('\n')
  const questions = lines.map((line) => JSON.parse(line) as Question)
  const report: Record<string, unknown> = { questions: questions.length }
  for (const mode of modes) report[mode] = await figures(search, questions, mode)
  return report
}

async function figures(search: MemorySearch, questions: Question[], mode: RecallRequest['mode']) {
  const asked: { rank: number; paraphrased: boolean }[] = []
  for (const { question, gold, paraphrased } of questions) {
    const { hits } = await search.search({
      query: question,
      mode,
      limit: 5,
      offset: 0,
      filter: {},
      settings: defaultRecallSettings,
      floor,
      now: new Date(),
    })
    const rank = hits.findIndex(({ path, startLine }) => gold.includes(`${path}:${startLine}`))
    asked.push({ rank, paraphrased })
  }
  const share = (depth: number, among: typeof asked) =>
    among.filter(({ rank }) => rank >= 0 && rank < depth).length / among.length
  const both = (among: typeof asked) => ({ hit1: share(1, among), hit5: share(5, among) })
  return {
    all: both(asked),
    sharingWords: both(asked.filter(({ paraphrased }) => !paraphrased)),
    paraphrased: both(asked.filter(({ paraphrased }) => paraphrased)),
  }
}

if (import.meta.main) {
  process.stdout.write(`${JSON.stringify(await evaluateMemory(), null, 2)}\n`)
}
