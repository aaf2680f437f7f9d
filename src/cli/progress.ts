import type { AddProgress } from '../library/library.ts'
import { jsonText } from '../platform/json.ts'
import { trace } from '../platform/trace.ts'
import { pluralize } from '../platform/text/count.ts'
import type { Terminal } from './terminal.ts'

/** `label` is the current library of a command for several libraries. */
export type ProgressLine = Disposable & { report(progress: AddProgress, label?: string): void }

type Clock = { liveMs: number; plainMs: number; jsonMs: number; waitingMs: number }

/**
 * Shows the progress of an `add`: one rewritten line on a terminal, otherwise a line every ten
 * seconds, or JSON objects (OG_PROGRESS=json). Reports waiting for another writer immediately,
 * because it looks like a hang, and then rarely.
 */
export function showProgress(
  terminal: Terminal,
  { label, ...clock }: { label: string } & Partial<Clock>,
): ProgressLine {
  const { liveMs = 100, plainMs = 10_000, jsonMs = 500, waitingMs = 60_000 } = clock
  let latest: AddProgress | null = null
  let title = label
  let embeddingSince = 0
  const waiting = { since: 0, nextMs: 0 }
  const line = () => {
    const seconds = embeddingSince === 0 ? 0 : (performance.now() - embeddingSince) / 1000
    const waited = latest?.phase === 'waiting' ? waitedText(performance.now() - waiting.since) : ''
    if (latest === null) return `${title}: starting`
    return `${title}: ${renderProgress(latest, seconds)}${waited}`
  }
  /** In a pipe, repeats the note about a long wait after 1, 2, 4, … minutes. */
  const isTooSoon = () => {
    if (terminal.isLive || latest?.phase !== 'waiting') return false
    if (performance.now() - waiting.since < waiting.nextMs) return true
    waiting.nextMs = waiting.nextMs === 0 ? waitingMs : 2 * waiting.nextMs
    return false
  }
  const show = () => {
    if (terminal.wantsJsonProgress) noteJson(terminal, latest)
    else if (isTooSoon()) return
    else if (terminal.isLive) terminal.showStatus(line().slice(0, terminal.columns() - 1))
    else terminal.note('plain', line())
  }
  const everyMs = terminal.wantsJsonProgress ? jsonMs : terminal.isLive ? liveMs : plainMs
  const timer = setInterval(show, everyMs)
  return {
    report(progress, name = label) {
      const isNew = progress.phase !== latest?.phase || name !== title
      if (name !== title) embeddingSince = 0
      if (latest !== null && progress.phase !== latest.phase) tracePhase(title, latest)
      title = name
      if (isNew) Object.assign(waiting, { since: performance.now(), nextMs: 0 })
      const isTold = progress.phase === 'waiting' || terminal.wantsJsonProgress
      latest = { ...progress }
      if (embeddingSince === 0 && progress.embedded > 0) embeddingSince = performance.now()
      if (isNew && isTold) show()
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      if (latest !== null) tracePhase(title, latest)
      latest = null
      terminal.showStatus('')
    },
  }
}

function tracePhase(label: string, { phase, pages, chunks, embedded, version }: AddProgress): void {
  trace(`finish ${phase}`, { label, version: version ?? undefined, pages, chunks, embedded })
}

function noteJson(terminal: Terminal, latest: AddProgress | null): void {
  if (latest !== null) terminal.note('plain', jsonText(latest, 0).trimEnd())
}

/**
 * Returns a function that prints a note while a command without progress waits. The note mentions
 * `og jobs`, because the other writer may be a background job.
 */
export function waitNotifier(terminal: Pick<Terminal, 'note'>, library: string): () => void {
  return () =>
    terminal.note(
      'plain',
      `${library}: waiting for another og that writes it; ` +
        `"og jobs ${library} --stop" ends one in the background`,
    )
}

export function renderProgress(progress: AddProgress, secondsEmbedding: number): string {
  const { phase, pages, chunks, toEmbed, embedded } = progress
  if (phase === 'resolving') return 'looking up the version'
  if (phase === 'waiting') return 'waiting for another og that writes it'
  const parts = [`${phase}, ${number(pages)} ${pluralize(pages, 'page')}`]
  if (toEmbed > 0) parts.push(`${number(embedded)} of ${number(toEmbed)} chunks`)
  else if (chunks > 0) parts.push(`${number(chunks)} chunks`)
  const rate = secondsEmbedding > 0 ? embedded / secondsEmbedding : 0
  if (phase === 'embedding' && rate > 0) {
    parts.push(`${rate.toFixed(rate < 10 ? 1 : 0)} chunks/s`, timeLeft((toEmbed - embedded) / rate))
  }
  return parts.join(', ')
}

function waitedText(ms: number): string {
  if (ms < 1000) return ''
  return ms < 60_000 ? ` (${Math.floor(ms / 1000)} s)` : ` (${Math.floor(ms / 60_000)} min)`
}

function timeLeft(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s left`
  return `${Math.round(seconds / 60)} min left`
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}
