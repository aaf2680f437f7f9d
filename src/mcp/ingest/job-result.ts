import type { AddProgress, AddResult } from '../../library/library.ts'
import type { JobEnd } from '../../library/jobs/start-job.ts'
import { OgError } from '../../platform/error.ts'
import { formatCount } from '../../platform/text/count.ts'
import { escapeInline } from '../docs/quote.ts'

/**
 * Maximum number of failed pages in the list of an answer; its text also has their total number.
 */
const maxFailed = 5

export type JobResult = { results: AddResult[]; failures: Failure[] }

type Failure = { library: string; version: string; error: string; hint?: string | null }

/**
 * Parses the output of a finished job. Exit code 1 means that some pages or versions failed; the
 * result lists them.
 * @throws OgError with the job's own error for any other exit
 */
export function parseJobResult({ exitCode, stdout, notes }: JobEnd): JobResult {
  if (exitCode === 0 || exitCode === 1) {
    const printed: JobResult | AddResult = JSON.parse(stdout)
    return 'results' in printed ? printed : { results: [printed], failures: [] }
  }
  // A hint before the error line belongs to another message.
  const last = notes.slice(
    Math.max(
      0,
      notes.findIndex((line) => line.startsWith('error: ')),
    ),
  )
  const after = (word: string) => last.find((line) => line.startsWith(word))?.slice(word.length)
  const ended = exitCode === null ? 'was killed' : `ended with code ${exitCode}`
  const message = after('error: ') ?? `Indexing ${ended}`
  const hint = after('hint: ')
  throw new OgError(message, hint ? { hint } : {})
}

export function renderJobResult({ results, failures }: JobResult) {
  const lines = [...results.map(renderResult), ...failures.map(renderFailure)]
  const failed = failures.map(({ library, version, error }) => {
    return { library, version, status: 'failed' as const, error }
  })
  const structured = { status: 'done' as const, results: [...results.map(resultOf), ...failed] }
  return { text: lines.join(''), structured }
}

function resultOf(result: AddResult) {
  const { library, version, status, pages, chunks, embedded, failed, incomplete } = result
  const gap = incomplete ? { incomplete } : {}
  return {
    library,
    version,
    status,
    pages,
    chunks,
    embedded,
    failed: failed.slice(0, maxFailed),
    ...gap,
  }
}

function renderResult(result: AddResult): string {
  const { library, version, status, pages, chunks, embedded, failed, incomplete } = result
  const listed = failed.slice(0, maxFailed)
  const lines = listed.map(
    ({ url, reason }) => `Failed: ${escapeInline(url)}: ${escapeInline(reason)}\n`,
  )
  return (
    `${library} ${escapeInline(version)}: ${status}. ${formatCount(pages, 'page')}, ` +
    `${formatCount(chunks, 'chunk')}, ${embedded} embedded now, ` +
    `${formatCount(failed.length, 'page')} failed.\n${lines.join('')}` +
    (!incomplete ? '' : `Incomplete: ${escapeInline(incomplete)}.\n`)
  )
}

function renderFailure({ library, version, error, hint }: JobResult['failures'][number]): string {
  return `${library} ${escapeInline(version)}: failed. ${error}\n${hint ? `hint: ${hint}\n` : ''}`
}

/**
 * Converts progress to a single growing number: pages read plus chunks embedded. The total is null
 * until it is known.
 */
export function progressOf({ phase, pages, toEmbed, embedded }: AddProgress) {
  const hasAllPages = phase === 'embedding' || phase === 'indexing'
  const chunks = toEmbed > 0 ? `, ${embedded} of ${toEmbed} chunks` : ''
  return {
    done: pages + embedded,
    total: hasAllPages ? pages + toEmbed : null,
    message: `${phase}, ${formatCount(pages, 'page')}${chunks}`,
  }
}
