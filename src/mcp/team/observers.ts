import { appendFileSync, closeSync, openSync } from 'node:fs'
import { messageOf, OgError } from '../../platform/error.ts'
import { jsonText } from '../../platform/json.ts'
import type { Observer, ServedCall } from '../served-call.ts'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { OgView } from '../../open.ts'

type CallAuditOptions = {
  /** True if lines contain the query, which is more private than the other fields. */
  hasQueries: boolean
  write(line: string): void
  warn(line: string): void
}

/**
 * Writes a JSON line for each call: client, tool, library, duration and outcome. Opens the file for
 * each line, so that it can be rotated and no written line is lost.
 * @param path `-` sends lines to `write`
 * @throws OgError if the file is not writable now; later errors cause one warning per minute
 */
export function openAudit(path: string, { hasQueries, write, warn }: CallAuditOptions): Observer {
  if (path !== '-') createPrivate(path)
  let warnedAt = -Infinity
  const append = (line: string) => {
    try {
      appendFileSync(path, line, { mode: 0o600 })
    } catch (error) {
      if (performance.now() - warnedAt < 60_000) return
      warnedAt = performance.now()
      warn(`cannot write the audit to ${path}: ${messageOf(error)}`)
    }
  }
  const writeLine = path === '-' ? write : append
  return (call) => writeLine(auditLine(call, hasQueries))
}

export function auditLine(call: ServedCall, hasQuery: boolean): string {
  const { key, what, library, status, startedAt, ms, query } = call
  return jsonText(
    {
      at: new Date(startedAt).toISOString(),
      key,
      tool: what,
      library,
      ms: Math.round(ms * 10) / 10,
      status,
      ...(hasQuery && query !== null ? { query } : {}),
    },
    0,
  )
}

/** Creates a file that only its owner can read. An existing file keeps its mode. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (cause) {
    throw new OgError(`Cannot write the audit to ${path}: ${messageOf(cause)}`, {
      hint: 'give a file with --audit, or - for stderr',
      cause,
    })
  }
}

type Metrics = Disposable & { observe: Observer; scrape(): Promise<string> }

/** Histogram boundaries in seconds. A search on a warm server takes a few hundredths. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity]

/** `counts` is the cumulative number of calls up to each boundary. */
type Histogram = { labels: string; counts: number[]; sum: number }

export function openMetrics(og: Pick<OgView, 'warm'>): Metrics {
  const histograms = new Map<string, Histogram>()
  // Every waiting request has this delay in addition to its latency.
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return {
    observe({ what, status, ms }) {
      const labels = `call=${quoted(what)},status=${quoted(String(status))}`
      const one = histograms.get(labels) ?? { labels, counts: boundaries.map(() => 0), sum: 0 }
      histograms.set(labels, one)
      const seconds = ms / 1000
      one.sum += seconds
      one.counts = one.counts.map((count, i) => count + Number(seconds <= boundaries[i]!))
    },
    async scrape() {
      const { user, system } = process.cpuUsage()
      const late = delay.percentile(99) / 1e9
      delay.reset()
      return [
        ...header('og_call_duration', 'histogram', 'seconds to the answer, by call and outcome'),
        ...[...histograms.values()].flatMap(histogramLines),
        ...header('og_libraries_warm', 'gauge', 'open library versions'),
        `og_libraries_warm ${(await og.warm()).length}`,
        ...header('og_memory', 'gauge', 'bytes of resident memory'),
        `og_memory ${process.memoryUsage.rss()}`,
        ...header('og_cpu_total', 'counter', 'seconds of processor time'),
        `og_cpu_total ${(user + system) / 1e6}`,
        ...header('og_loop_delay', 'gauge', 'event-loop delay in seconds, 99th percentile'),
        `og_loop_delay ${late}`,
        '',
      ].join('\n')
    },
    [Symbol.dispose]: () => void delay.disable(),
  }
}

function histogramLines({ labels, counts, sum }: Histogram): string[] {
  const buckets = counts.map((count, i) => {
    const limit = boundaries[i] === Infinity ? '+Inf' : boundaries[i]
    return `og_call_duration_bucket{${labels},le="${limit}"} ${count}`
  })
  const total = `og_call_duration_count{${labels}} ${counts.at(-1)}`
  return [...buckets, `og_call_duration_sum{${labels}} ${sum}`, total]
}

function header(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
}

/** Quotes a label value with the escapes of the Prometheus format. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
