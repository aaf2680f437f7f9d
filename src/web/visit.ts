import type { Caller } from '../mcp/http/http-gate.ts'
import type { OgView } from '../open.ts'
import type { PageRing } from './access.ts'
import type { Html } from './html.ts'
import type { Ingest } from './library/jobs.ts'
import type { MemoryRight, SiteMemory } from './memory/site-memory.ts'

/** The data and services that the pages of the site use. */
export type SiteContext = {
  og: OgView
  /** Number of hits shown per search. */
  limit: number
  /** Names of the libraries that `og add` knows a source for. */
  knownSources(): Promise<string[]>
  /** The service that changes libraries; null makes the site read-only. */
  ingest: Ingest | null
  /** null hides memory. */
  memory: SiteMemory | null
}

/** A visitor whose key can see only some of the libraries; `og` shows only those. */
export type Visitor = Caller & { og: OgView; canSee(library: string): boolean }

/** The access rights of a request. If `visitor` is null, it can see all libraries. */
export type PageRight = { ingests: boolean; memory: MemoryRight | null; visitor: Visitor | null }

/** The keys of a team. */
export type VisitorRing = PageRing<PageRight> & {
  /** A visitor with only a memory key; it sees no library. */
  readonly stranger: Visitor
}

/** One request with its parsed form, its access rights and the site as the visitor sees it. */
export type Visit = SiteContext & {
  request: Request
  right: PageRight
  /** True if the visitor can see the library. `og` contains no others. */
  canSee(library: string): boolean
  /** True if the request came with a key or a login, so that logging out makes sense. */
  hasLogin: boolean
  path: string
  params: URLSearchParams
  /** The fields of the submitted form; empty if there was none. */
  form: URLSearchParams
  formToken: string
  /** Aborted when the server stops or the key is revoked. It ends streaming responses. */
  closing: AbortSignal
}

/** The content of a page. `framedResponse` puts it into the frame. */
export type PageContent = {
  title: string
  main: Html
  /** Markup after `main`, sent as soon as it is generated. */
  rest?: AsyncGenerator<Html>
  /** The header link that is marked as the current page. */
  place?: 'search' | 'libraries' | 'memory'
  /** The library that the page belongs to; a search from its header asks only this library. */
  library?: string
  status?: number
  headers?: Record<string, string>
}

/** A route. It responds with a page, a part of a page, or a response of its own. */
export type Route = {
  method: 'GET' | 'POST'
  path: string
  answer(visit: Visit): Promise<PageContent | Html | Response>
}
