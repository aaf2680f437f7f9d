import { mkdir, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, OgError } from '../platform/error.ts'
import { editTextFile } from '../platform/file/edit-file.ts'
import { isRecord, parseJsonOrUndefined } from '../platform/json.ts'
import { lockExclusive } from '../platform/lock.ts'
import { readTextFile } from '../platform/file/read-file.ts'

export type ToolCalls = Record<string, number>

/** `problem` is the reason why an existing file could not be read. The counts then omit it. */
export type Stats = { toolCalls: ToolCalls; problem: OgError | null }

/** Names of upstream's tools. Upstream expects them in its file. */
const upstreamTools = ['search_documents_tool', 'list_libraries_tool', 'get_full_content_tool']

/**
 * Adds counts such as `{ search_documents_tool: 2 }` to upstream's statistics file. A lock prevents
 * lost counts. Renames a file that cannot be parsed to `stats.json.broken`. Each update takes a
 * lock, a read and a synced write, so callers may collect counts first.
 * @returns null, or the reason why the calls were not counted, because no tool call may fail for
 * its counter
 */
export async function recordToolCall(path: string, calls: ToolCalls): Promise<OgError | null> {
  const add = (before: ToolCalls): ToolCalls => {
    const after = { ...before }
    for (const [tool, count] of Object.entries(calls)) after[tool] = (after[tool] ?? 0) + count
    return after
  }
  return change(path, add).then(
    () => null,
    (error: unknown) => (error instanceof OgError ? error : cannotWrite(path, error)),
  )
}

/** Returns the counts, all zero if there is no file. Never throws because of the file's content. */
export async function readStats(path: string): Promise<Stats> {
  const { toolCalls, problem } = await readContent(path)
  return { toolCalls, problem }
}

/**
 * Sets all counts to zero.
 * @throws OgError if the file cannot be written
 */
export async function resetStats(path: string): Promise<void> {
  await change(path, () => Object.fromEntries(upstreamTools.map((tool) => [tool, 0])))
}

async function change(path: string, next: (before: ToolCalls) => ToolCalls): Promise<void> {
  await mkdir(dirname(path), { recursive: true }).catch((error) => {
    throw cannotWrite(path, error)
  })
  const what = `the statistics ${path}`
  using _lock = await lockExclusive(`${path}.lock`, { timeoutMs: 10_000, what })
  const { problem } = await readContent(path)
  if (problem) await rename(path, `${path}.broken`)
  const plan = (text: string | null) => {
    const { toolCalls, rest, problem } = text === null ? empty(null) : parse(text, path)
    if (problem !== null) throw problem
    return `${JSON.stringify({ ...rest, tool_calls: next(toolCalls) }, null, 2)}\n`
  }
  await editTextFile(path, { plan, limitMb: 1 }).catch((error) => {
    throw error instanceof OgError ? error : cannotWrite(path, error)
  })
}

type Content = Stats & { rest: Record<string, unknown> }

async function readContent(path: string): Promise<Content> {
  const limits = { limitMb: 1 }
  const text = await readTextFile(path, limits).catch((error: NodeJS.ErrnoException) => error)
  if (typeof text === 'string') return parse(text, path)
  if (text.code === 'ENOENT' || text.code === 'ENOTDIR') return empty(null)
  throw new OgError(`Cannot read the statistics ${path}: ${text.message}`, { cause: text })
}

function parse(text: string, path: string): Content {
  const content: unknown = text.trim() === '' ? {} : parseJsonOrUndefined(text)
  if (!isRecord(content)) return empty(broken(path))
  const calls = content.tool_calls ?? {}
  if (!isRecord(calls)) return empty(broken(path))
  const counts = Object.entries(calls).filter(isCount)
  return { toolCalls: Object.fromEntries(counts), rest: content, problem: null }
}

function isCount(entry: [string, unknown]): entry is [string, number] {
  return Number.isSafeInteger(entry[1]) && (entry[1] as number) >= 0
}

function empty(problem: OgError | null): Content {
  return { toolCalls: {}, rest: {}, problem }
}

function broken(path: string): OgError {
  return new OgError(`Cannot read the statistics ${path}: it is not a statistics file`, {
    hint: 'og will rename it to stats.json.broken; "og stats reset" does so now',
  })
}

function cannotWrite(path: string, cause: unknown): OgError {
  return new OgError(`Cannot write the statistics ${path}: ${messageOf(cause)}`, { cause })
}
