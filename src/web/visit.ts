import type { Caller } from '../mcp/http/http-gate.ts'
import type { OgView } from '../open.ts'
import type { PageRing } from './access.ts'
import type { Html } from './html.ts'
import type { Ingest } from './library/jobs.ts'
import type { MemoryRight, SiteMemory } from './memory/site-memory.ts'

export type SiteContext = {
  og: OgView
  limit: number
  knownSources(): Promise<string[]>
  ingest: Ingest | null
  /** Null hides memory. */
  memory: SiteMemory | null
}

export type Visitor = Caller & { og: OgView; canSee(library: string): boolean }

export type PageRight = { ingests: boolean; memory: MemoryRight | null; visitor: Visitor | null }

export type VisitorRing = PageRing<PageRight> & {
  /** A visitor with only a memory key, which opens no library. */
  readonly stranger: Visitor
}

export type Visit = SiteContext & {
  request: Request
  right: PageRight
  canSee(library: string): boolean
  /** True if the request came with a key or a login, so that the page offers to log out. */
  hasLogin: boolean
  path: string
  params: URLSearchParams
  form: URLSearchParams
  formToken: string
  /** Aborted when the server stops or the key is revoked. It ends streaming responses. */
  closing: AbortSignal
}

export type PageContent = {
  title: string
  main: Html
  /** Markup after `main`, which is sent as soon as it is generated. */
  rest?: AsyncGenerator<Html>
  place?: 'search' | 'libraries' | 'memory'
  /** The page's library; the search field in the header searches only this library. */
  library?: string
  status?: number
  headers?: Record<string, string>
}

export type Route = {
  method: 'GET' | 'POST'
  path: string
  answer(visit: Visit): Promise<PageContent | Html | Response>
}
