import type { Caller } from '../mcp/http/http-gate.ts'
import type { OgView } from '../open.ts'
import type { PageRing } from './access.ts'
import type { Html } from './html.ts'
import type { Ingest } from './library/jobs.ts'
import type { MemoryRight, SiteMemory } from './memory/site-memory.ts'

/** What the pages show and work with. */
export type SiteContext = {
  og: OgView
  /** Hits of a search. */
  limit: number
  /** Names that `og add` knows a source for. */
  knownSources(): Promise<string[]>
  /** What changes libraries; null: nothing does, they are only shown. */
  ingest: Ingest | null
  /** null: memory is not shown. */
  memory: SiteMemory | null
}

/** Who came with a key that has a share of the libraries. */
export type Visitor = Caller & {
  og: OgView
  isSeen(library: string): boolean
}

/** What who comes with a request may do; `visitor` null: with all libraries. */
export type PageRight = { ingests: boolean; memory: MemoryRight | null; visitor: Visitor | null }

/** The keys of a team. */
export type VisitorRing = PageRing<PageRight> & {
  /** Who comes with a key of memory alone: with no library. */
  readonly stranger: Visitor
}

/** One request, read. */
export type Visit = SiteContext & {
  request: Request
  right: PageRight
  /** Whether who asks may know of a library; `og` has no others. */
  isSeen(library: string): boolean
  /** Whether somebody has logged in, who then can log out. */
  hasLogin: boolean
  path: string
  params: URLSearchParams
  /** What a form sent; empty where none did. */
  form: URLSearchParams
  formToken: string
  /** Aborted when the server ends: answers that go on end then. */
  closing: AbortSignal
}

/** What is answered: a page in its frame. */
export type Shape = {
  title: string
  main: Html
  /** What follows in the same place, and is sent as it is made. */
  rest?: AsyncGenerator<Html>
  /** Which of the header's links is where the reader is. */
  place?: 'search' | 'libraries' | 'memory'
  status?: number
  headers?: Record<string, string>
}

/** A route: answers with a page, with a part of one, or with something else. */
export type Route = {
  method: 'GET' | 'POST'
  path: string
  answer(visit: Visit): Promise<Shape | Html | Response>
}
