import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderEntry } from '../../src/memory/entry.ts'
import { openMemorySearch, type MemorySearch } from '../../src/memory/memory-search.ts'
import {
  defaultRecallSettings,
  type RecallRequest,
} from '../../src/memory/recall/recall-request.ts'
import { openMemory } from '../../src/memory/session.ts'
import { defaultMemorySettings } from '../../src/memory/settings.ts'
import { createWorkspace, openWorkspace } from '../../src/memory/workspace.ts'
import { openBuiltin } from '../model/memory-embedder.ts'

const root = join(import.meta.dir, '../..')
const folder = join(root, 'test', 'eval', 'memory')
const work = join(root, 'build', 'eval', 'memory')
/** Minimum cosine for the built-in model, the same as in `og memory search`. */
const floor = { minCosine: 0.55 }
const modes = ['full-text', 'vector', 'hybrid'] as const

type Question = { question: string; paraphrased: boolean; gold: string[] }

/**
 * Reports Hit@1 and Hit@5 of recall on the questions of test/eval/memory: for all questions, for
 * questions that share words with their entry, and for paraphrased questions.
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

/** A conversation of LoCoMo: turns by session, and questions with the ids of their evidence. */
type Conversation = Record<string, unknown> & {
  qa: { question: string; evidence?: string[]; category: number }[]
}
type Turn = { dia_id: string; speaker: string; text?: string; blip_caption?: string }

/**
 * Reports recall@5, recall@10 and hit@10 of the evidence in a folder of LoCoMo conversations
 * (https://github.com/snap-research/locomo). Each turn is an entry, and searches work like
 * `memory_read`. Indexes stay in build/eval, so later runs embed only the questions.
 */
export async function evaluateConversations(path: string) {
  const { embedder, kernels } = await openBuiltin()
  await using _embedder = embedder
  const all: { recall5: number; recall10: number; hit10: number }[] = []
  for (const name of readdirSync(path).filter((name) => name.endsWith('.json'))) {
    const conversation = JSON.parse(readFileSync(join(path, name), 'utf8')) as Conversation
    const turns = turnsOf(conversation)
    mkdirSync(join(work, '..', 'locomo', name), { recursive: true })
    const text = turns.map(({ text }) => renderEntry('2026-01-01 10:00', text)).join('')
    writeFileSync(join(work, '..', 'locomo', name, 'MEMORY.md'), `# Memory\n${text}`)
    const options = { root: join(work, '..', 'locomo'), name, embedder: async () => embedder }
    const settings = { ...defaultMemorySettings, contextMinCosine: floor.minCosine }
    const warn = (line: string) => process.stderr.write(`${line}\n`)
    await using memory = await openMemory({ ...options, settings, kernels, warn })
    await memory.sync()
    await memory.search.embedAll(600_000)
    const ids = new Set(turns.map(({ id }) => id))
    for (const { question, evidence = [], category } of conversation.qa) {
      const gold = evidence.flatMap((some) => some.split(/[;,]/)).map((id) => id.trim())
      const known = new Set(gold.filter((id) => ids.has(id)))
      if (category === 5 || known.size === 0) continue
      const { results } = await memory.recall({ query: question, top_k: 10 })
      const found = results.map(({ text }) => /\(ref (\S+)\)$/.exec(text)?.[1])
      const share = (depth: number) =>
        new Set(found.slice(0, depth).filter((id) => id !== undefined && known.has(id))).size
      all.push({
        recall5: share(5) / known.size,
        recall10: share(10) / known.size,
        hit10: Math.min(1, share(10)),
      })
    }
  }
  const mean = (key: keyof (typeof all)[number]) =>
    all.reduce((sum, figures) => sum + figures[key], 0) / all.length
  return {
    questions: all.length,
    recall5: mean('recall5'),
    recall10: mean('recall10'),
    hit10: mean('hit10'),
  }
}

function turnsOf(conversation: Conversation): { id: string; text: string }[] {
  const sessions = Object.keys(conversation).filter((key) => /^session_\d+$/.test(key))
  return sessions.flatMap((session) =>
    (conversation[session] as Turn[]).map(({ dia_id: id, speaker, text = '', blip_caption }) => {
      const picture = blip_caption === undefined ? '' : ` [shares a picture: ${blip_caption}]`
      const said = `${speaker} said: ${text}${picture}`.replaceAll('\n', ' ')
      return { id, text: `${conversation[`${session}_date_time`]}: ${said} (ref ${id})` }
    }),
  )
}

if (import.meta.main) {
  process.stdout.write(`${JSON.stringify(await evaluateMemory(), null, 2)}\n`)
}
