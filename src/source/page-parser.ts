import { availableParallelism } from 'node:os'
import type { Page } from '../page/page.ts'
import { embedded } from '../platform/native/embedded.ts'
import type { ParseJob, Parsed } from './page-worker.ts'
import { documentPage, type WebDocument } from './web-document.ts'

/** Parses pages, many at once where there are many; released with `using`. */
export type PageParser = Disposable & {
  /** How many are worth being parsed at once. */
  lanes: number
  /** @throws Error whose message is the reason alone */
  parse(document: WebDocument, address: string): Promise<Page>
}

/** Starting threads takes longer than so few pages do. */
const fewPages = 16

/**
 * A tree of a large page takes tens of milliseconds: many pages are parsed by threads of their own,
 * two at most, since each has a heap of its own.
 */
export function openPageParser({ nPages }: { nPages: number }): PageParser {
  const count = Math.min(2, availableParallelism())
  const isWorth = nPages > fewPages && count > 1
  const threads = isWorth ? Array.from({ length: count }, openThread) : []
  return {
    lanes: Math.max(1, count * 2),
    parse(document, address) {
      const [thread] = threads.toSorted((a, b) => a.nWaiting() - b.nWaiting())
      return thread ? thread.parse(document, address) : documentPage(document, address)
    },
    [Symbol.dispose]: () => threads.forEach((thread) => thread[Symbol.dispose]()),
  }
}

type Thread = Omit<PageParser, 'lanes'> & { nWaiting(): number }
type Waiting = { resolve(page: Page): void; reject(error: Error): void }

function openThread(): Thread {
  const waiting = new Map<number, Waiting>()
  let nextId = 0
  // In the executable all code is one file at its root; the thread is another entry below it.
  const worker = new Worker(embedded === null
    ? new URL('./page-worker.ts', import.meta.url).href : './source/page-worker.js')
  worker.unref()
  worker.onmessage = ({ data: parsed }: MessageEvent<Parsed>) => {
    const waiter = waiting.get(parsed.id)
    waiting.delete(parsed.id)
    if ('page' in parsed) waiter?.resolve(parsed.page)
    else waiter?.reject(new Error(parsed.reason))
    if (waiting.size === 0) worker.unref()
  }
  worker.onerror = (event) => {
    const fault = new Error(`its parser failed: ${event.message}`)
    for (const { reject } of waiting.values()) reject(fault)
    waiting.clear()
  }
  return {
    nWaiting: () => waiting.size,
    parse: (document, address) => new Promise((resolve, reject) => {
      const id = nextId++
      waiting.set(id, { resolve, reject })
      worker.ref()
      worker.postMessage({ id, document, address } satisfies ParseJob)
    }),
    [Symbol.dispose]: () => worker.terminate(),
  }
}
