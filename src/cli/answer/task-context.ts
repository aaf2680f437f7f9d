import type { Hit } from '../../library/library.ts'
import type { ContextShare } from '../../memory/bootstrap/context-share.ts'
import { weakSentence } from '../../library/search/sureness.ts'
import { escapeUrl, escapeInline, quote } from '../../mcp/docs/quote.ts'
import { cutToTokens, tokensOf } from '../../platform/tokens.ts'

/** What memory and documentation know for a task, together within one budget. */
export type TaskContext = {
  text: string
  /** Of the text; at most `maxTokens`. */
  tokens: number
  memory: ContextShare | null
  /** Those whose text is in `text`, best first. */
  hits: Hit[]
  /** Hits for which there was no room. */
  omitted: number
}

type ContextParts = {
  /** Best first; one list a library that was asked. */
  hits: readonly (readonly Hit[])[]
  /** Whether of one library or more they are clearly about the task; true unless it is given. */
  isSure?: boolean
  /** Null where there is no memory. */
  recall: ((maxTokens: number) => Promise<ContextShare>) | null
}

/** Memory's at least, where it has so much to say; it is one's own. */
const memoryShare = 0.4

/**
 * Whole entries of memory, then quoted text of documentation. What one side leaves of the budget
 * the other may have; of several libraries each is heard in turn.
 */
export async function taskContext(
  { hits, recall, isSure = true }: ContextParts,
  { maxTokens }: { maxTokens: number },
): Promise<TaskContext> {
  const inTurn = alternating(hits)
  const weak = isSure || inTurn.length === 0 ? '' : `${weakSentence}\n`
  const needed = inTurn.reduce((sum, hit) => sum + tokensOf(renderHit(hit)), tokensOf(weak))
  const granted = Math.max(Math.floor(maxTokens * memoryShare), maxTokens - needed)
  const memory = recall === null ? null : await recall(granted)
  const remembered = memory === null || memory.text === '' ? '' : `${memory.text}\n`
  const shown = fitting(inTurn, maxTokens - tokensOf(remembered) - tokensOf(weak))
  const text = [remembered, shown.length > 0 ? weak : '', ...shown.map(({ block }) => block)]
    .filter((part) => part !== '')
    .join('\n')
  return {
    text,
    tokens: tokensOf(text),
    memory,
    hits: shown.map(({ hit }, i) => ({ ...hit, rank: i + 1 })),
    omitted: inTurn.length - shown.length,
  }
}

function alternating(lists: ContextParts['hits']): Hit[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, rank) =>
    lists.flatMap((list) => list[rank] ?? []),
  ).flat()
}

type Shown = { hit: Hit; block: string }

/** Those that fit; the best one cut where none does, if that leaves more than a line or two. */
function fitting(hits: readonly Hit[], maxTokens: number): Shown[] {
  const shown: Shown[] = []
  let left = maxTokens
  for (const hit of hits) {
    const block = renderHit(hit)
    // A line end stands between two blocks; each may begin a token.
    const tokens = tokensOf(block) + 1
    if (tokens > left) continue
    shown.push({ hit, block })
    left -= tokens
  }
  const [first] = hits
  if (shown.length > 0 || first === undefined) return shown
  const room = maxTokens - tokensOf(renderHit({ ...first, text: '' })) - 2
  const text = room < 40 ? '' : cutToTokens(first.text, room)
  const block = text === '' ? '' : renderHit({ ...first, text })
  return block === '' || tokensOf(block) >= maxTokens ? [] : [{ hit: first, block }]
}

function renderHit({ library, version, url, heading, startLine, endLine, text }: Hit): string {
  const under = heading === '' ? '' : `, under "${escapeInline(heading)}"`
  const place = `${escapeUrl(url)} lines ${startLine}-${endLine}${under}`
  const where = `${escapeInline(library)} ${escapeInline(version)}, ${place}`
  return quote(text.replace(/^\n+/, '').trimEnd(), where)
}
