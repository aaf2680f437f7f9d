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
  /** Returns the names of the libraries for which `og add` knows a source. */
  knownSources(): Promise<string[]>
  /** The service that changes libraries; if null, the site is read-only. */
  ingest: Ingest | null
  /** Null hides memory. */
  memory: SiteMemory | null
}

/** A visitor whose key can see only some of the libraries; `og` shows only those. */
export type Visitor = Caller & { og: OgView; canSee(library: string): boolean }

/** The access rights of a request. If `visitor` is null, all libraries are visible. */
export type PageRight = { ingests: boolean; memory: MemoryRight | null; visitor: Visitor | null }

/** The keys of a team. */
export type VisitorRing = PageRing<PageRight> & {
  /** A visitor with only a memory key, which opens no library. */
  readonly stranger: Visitor
}

/** A request with its parsed form, its access rights, and the site as the visitor sees it. */
export type Visit = SiteContext & {
  request: Request
  right: PageRight
  /** True if the visitor can see the library. `og` contains no other libraries. */
  canSee(library: string): boolean
  /** True if the request came with a key or a login, so that the page offers to log out. */
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
  /** Markup after `main`, which is sent as soon as it is generated. */
  rest?: AsyncGenerator<Html>
  /** The header link that is marked as the current page. */
  place?: 'search' | 'libraries' | 'memory'
  /**
   * The library that the page belongs to; the search field in the header searches only this
   * library.
   */
  library?: string
  status?: number
  headers?: Record<string, string>
}

/** A route. Responds with a page, a part of a page, or any other response. */
export type Route = {
  method: 'GET' | 'POST'
  path: string
  answer(visit: Visit): Promise<PageContent | Html | Response>
}
