import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Embedder } from '../../../src/embed/embedder.ts'
import {
  openMemorySearch,
  type MemorySearch,
  type MemoryAnswer,
} from '../../../src/memory/memory-search.ts'
import {
  defaultRecallSettings,
  type RecallRequest,
  type RecallSettings,
} from '../../../src/memory/recall/recall-request.ts'
import {
  createWorkspace,
  type CustomFile,
  openWorkspace,
  type Workspace,
} from '../../../src/memory/workspace.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openKernels } from '../../../src/platform/kernels/kernels.ts'

export type Asking = Partial<Omit<RecallRequest, 'settings'>> & {
  settings?: Partial<RecallSettings>
}

export type TestMemory = AsyncDisposable & {
  root: string
  workspace: Workspace
  search: MemorySearch
  warned: string[]
  /** Writes a file as a person would; null deletes it. */
  put(file: string, text: string | null): void
  ask(query: string, asking?: Asking): Promise<MemoryAnswer>
  /** Returns the first words of the hits' bodies, best first. */
  bodies(query: string, asking?: Asking): Promise<string[]>
  /** Opens the same workspace again, as another process would. */
  again(embedder?: Embedder | null): MemorySearch
}

export const kernels = openKernels(null, { isa: 'js' })

/** A workspace with these files, searched by full text only unless an embedder is given. */
export async function openTestMemory(
  files: Record<string, string>,
  options: { embedder?: Embedder | null; customFiles?: CustomFile[]; patienceMs?: number } = {},
): Promise<TestMemory> {
  const temp = await createTempFolder('og-memory')
  const { customFiles, patienceMs } = options
  const workspace = await openWorkspace({ root: temp.path, name: 'default', customFiles })
  await createWorkspace(workspace)
  const warned: string[] = []
  const warn = (line: string) => void warned.push(line)
  const opened: MemorySearch[] = []
  const open = (embedder: Embedder | null) => {
    const parts = { embedder: async () => embedder, kernels, warn, patienceMs }
    const search = openMemorySearch(workspace, parts)
    opened.push(search)
    return search
  }
  function put(file: string, text: string | null): void {
    const path = join(workspace.path, file)
    mkdirSync(dirname(path), { recursive: true })
    if (text === null) rmSync(path)
    else writeFileSync(path, text)
  }
  for (const [file, text] of Object.entries(files)) put(file, text)
  const search = open(options.embedder ?? null)
  const ask = (query: string, asking: Asking = {}) => askMemory(search, query, asking)
  return {
    root: temp.path,
    workspace,
    search,
    warned,
    put,
    ask,
    async bodies(query, asking) {
      const { hits } = await ask(query, asking)
      return hits.map(({ text }) => text.split('\n').find((line) => /^[^#<\s]/.test(line)) ?? text)
    },
    again: (embedder = null) => open(embedder),
    async [Symbol.asyncDispose]() {
      for (const search of opened) await search[Symbol.asyncDispose]()
      await temp[Symbol.asyncDispose]()
    },
  }
}

/** Searches by full text unless the options say otherwise. */
export function askMemory(search: MemorySearch, query: string, asking: Asking = {}) {
  return search.search({
    query,
    mode: 'full-text',
    limit: 6,
    offset: 0,
    filter: {},
    now: new Date('2026-06-30T12:00:00'),
    ...asking,
    settings: { ...defaultRecallSettings, ...asking.settings },
  })
}

/** Formats entries, given as `[heading, body]`, as `append` writes them. */
export function entries(...list: [string, string][]): string {
  return list.map(([heading, body]) => `\n## ${heading}\n\n${body}\n`).join('')
}
