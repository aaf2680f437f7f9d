import type { AddProgress, AddResult } from '../../library/library.ts'
import type { JobEnd } from '../../library/jobs/start-job.ts'
import { OgError } from '../../platform/error.ts'
import { counted } from '../../platform/text/counted.ts'
import { inline } from '../docs/quote.ts'

/** What an ended job has added or updated, and which versions failed. */
export type JobResult = { results: AddResult[]; failures: Failure[] }

type Failure = { library: string; version: string; error: string; hint?: string | null }

/**
 * What a job printed at its end. With exit code 1 some pages or versions failed, and the result
 * says which.
 * @throws OgError with the error that the job printed, where it ended otherwise
 */
export function jobResult({ exitCode, stdout, notes }: JobEnd): JobResult {
  if (exitCode === 0 || exitCode === 1) {
    const printed: JobResult | AddResult = JSON.parse(stdout)
    return 'results' in printed ? printed : { results: [printed], failures: [] }
  }
  // A hint before it is about something else.
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

/** A job's result as a tool answers it: as text and as data. */
export function renderJobResult({ results, failures }: JobResult) {
  const told = [...results.map(renderResult), ...failures.map(renderFailure)]
  const failed = failures.map(({ library, version, error }) => {
    return { library, version, status: 'failed' as const, error }
  })
  const structured = { status: 'done' as const, results: [...results.map(resultOf), ...failed] }
  return { text: told.join(''), structured }
}

function resultOf(result: AddResult) {
  const { library, version, status, pages, chunks, embedded, failed, incomplete } = result
  const gap = incomplete ? { incomplete } : {}
  return { library, version, status, pages, chunks, embedded, failed: failed.length, ...gap }
}

function renderResult(result: AddResult): string {
  const { library, version, status, pages, chunks, embedded, failed, incomplete } = result
  const shown = failed.slice(0, 5)
  const lines = shown.map(({ url, reason }) => `Failed: ${inline(url)}: ${inline(reason)}\n`)
  return (
    `${library} ${inline(version)}: ${status}. ${counted(pages, 'page')}, ` +
    `${counted(chunks, 'chunk')}, ${embedded} embedded now, ` +
    `${counted(failed.length, 'page')} failed.\n${lines.join('')}` +
    (!incomplete ? '' : `Incomplete: ${inline(incomplete)}.\n`)
  )
}

function renderFailure({ library, version, error, hint }: JobResult['failures'][number]): string {
  return `${library} ${inline(version)}: failed. ${error}\n${hint ? `hint: ${hint}\n` : ''}`
}

/** Pages read and chunks embedded as one number, which only grows; the total once it is known. */
export function progressOf({ phase, pages, toEmbed, embedded }: AddProgress) {
  const hasAllPages = phase === 'embedding' || phase === 'indexing'
  const chunks = toEmbed > 0 ? `, ${embedded} of ${toEmbed} chunks` : ''
  return {
    done: pages + embedded,
    total: hasAllPages ? pages + toEmbed : null,
    message: `${phase}, ${counted(pages, 'page')}${chunks}`,
  }
}
