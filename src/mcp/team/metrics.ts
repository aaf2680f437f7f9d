import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { OgView } from '../../open.ts'
import type { Observer } from '../served-call.ts'

type Metrics = Disposable & { observe: Observer; scrape(): Promise<string> }

/** Histogram boundaries in seconds; a search by a warm server takes a few hundredths. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, Infinity]

/** `counts` has the number of calls up to each boundary. */
type Histogram = { labels: string; counts: number[]; sum: number }

export function openMetrics(og: Pick<OgView, 'warm'>): Metrics {
  const histograms = new Map<string, Histogram>()
  // Every waiting request adds this delay to its latency.
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

/** Quotes a label value with the escapes of the format. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
