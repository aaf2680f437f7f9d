import type { Caller } from '../mcp/http/http-gate.ts'
import type { OgView } from '../open.ts'
import type { PageRing } from './access.ts'
import type { Html } from './html.ts'
import type { Ingest } from './library/jobs.ts'
import type { MemoryRight, SiteMemory } from './memory/site-memory.ts'

/** Everything that the pages of the site work with. */
export type SiteContext = {
  og: OgView
  /** Number of hits that a search shows. */
  limit: number
  /** Names of libraries for which `og add` knows a source. */
  knownSources(): Promise<string[]>
  /** The means to change libraries; null: they are only shown. */
  ingest: Ingest | null
  /** null: memory is not shown. */
  memory: SiteMemory | null
}

/** A visitor whose key opens a share of the libraries; `og` shows only those. */
export type Visitor = Caller & { og: OgView; canSee(library: string): boolean }

/** The rights of a request; `visitor` null: it sees all libraries. */
export type PageRight = { ingests: boolean; memory: MemoryRight | null; visitor: Visitor | null }

/** The keys of a team. */
export type VisitorRing = PageRing<PageRight> & {
  /** The visitor with a key of memory alone, who sees no library. */
  readonly stranger: Visitor
}

/** One request with its parsed form, its rights and the site that it sees. */
export type Visit = SiteContext & {
  request: Request
  right: PageRight
  /** Whether the visitor may know of a library; `og` has no others. */
  canSee(library: string): boolean
  /** Whether the request came with a key or a login, so that there is something to log out of. */
  hasLogin: boolean
  path: string
  params: URLSearchParams
  /** The fields of the form that was sent; empty where there was none. */
  form: URLSearchParams
  formToken: string
  /** Aborted when the server stops or the key is revoked: it ends answers that stream on. */
  closing: AbortSignal
}

/** The content of a page, which `framed` puts into the frame. */
export type Shape = {
  title: string
  main: Html
  /** Markup that follows `main` and is sent as it is made. */
  rest?: AsyncGenerator<Html>
  /** The link of the header that is marked as the current place. */
  place?: 'search' | 'libraries' | 'memory'
  status?: number
  headers?: Record<string, string>
}

/** A route; it answers with a page, with a part of one, or with a response of its own. */
export type Route = {
  method: 'GET' | 'POST'
  path: string
  answer(visit: Visit): Promise<Shape | Html | Response>
}
