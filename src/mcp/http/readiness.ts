import type { OgView } from '../../open.ts'
import { onceEvery } from '../../platform/concurrency.ts'
import { messageOf } from '../../platform/error.ts'
import { splitVersion } from '../../version/package-name.ts'
import { watchRegistry } from '../docs/resources.ts'

/** Answers `/ready`, which tells a load balancer whether to send requests to this server. */
export type Readiness = Disposable & {
  answer(view: OgView | null): Promise<Response>
  warm(): Promise<void>
  stop(): void
}

type ReadyState = 'warming' | 'ready' | 'stopping' | 'no store'

type WarmOptions = { libraries: readonly string[]; warn(line: string): void }

export function openReadiness(og: OgView, { libraries, warn }: WarmOptions): Readiness {
  let state: ReadyState = libraries.length > 0 ? 'warming' : 'ready'
  let watcher: Disposable | null = null
  const warmAll = async () => {
    for (const name of libraries) {
      await warmLibrary(og, name).catch((error) =>
        warn(`cannot open ${name} in advance: ${messageOf(error)}`),
      )
    }
  }
  const hasStore = onceEvery(1_000, () =>
    og.list().then(
      () => true,
      () => false,
    ),
  )
  return {
    async answer(view) {
      const now = state === 'ready' && !(await hasStore()) ? 'no store' : state
      const warm = view === null ? {} : { warm: await view.warm().catch(() => []) }
      return Response.json(
        { status: now, ...warm },
        { status: now === 'ready' ? 200 : 503, headers: { 'Cache-Control': 'no-store' } },
      )
    },
    async warm() {
      if (libraries.length === 0) return
      await warmAll()
      if (state !== 'warming') return
      state = 'ready'
      watcher = watchRegistry(og, () => void warmAll())
    },
    stop() {
      state = 'stopping'
    },
    [Symbol.dispose]: () => watcher?.[Symbol.dispose](),
  }
}

/** A process's first query reads from LanceDB, and its second loads the embeddings. */
async function warmLibrary(og: OgView, name: string): Promise<void> {
  const target = splitVersion({ library: name, version: null })
  for (let i = 0; i < 2; i++) await og.search({ query: 'introduction', ...target, limit: 1 })
}
