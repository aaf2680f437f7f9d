import type { Caller } from '../mcp/http/http-gate.ts'
import type { OgView } from '../open.ts'
import type { PageRing } from './access.ts'
import type { Html } from './html.ts'
import type { JobRequest } from '../library/jobs/start-job.ts'
import type { MemoryKey } from '../mcp/team/memory-keys.ts'
import type { Memories } from '../open-memory.ts'
import type { LocalClient } from '../platform/web/peer-user.ts'

export type SiteContext = {
  og: OgView
  limit: number
  knownSources(): Promise<string[]>
  ingest: Ingest | null
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
  /** True if the request has a key or a login. The page then offers to log out. */
  hasLogin: boolean
  path: string
  params: URLSearchParams
  form: URLSearchParams
  formToken: string
  /** Aborts when the server stops or the key is revoked, to end streaming responses. */
  closing: AbortSignal
}

export type PageContent = {
  title: string
  main: Html
  /** Markup after `main`, sent as it is generated. */
  rest?: AsyncGenerator<Html>
  place?: 'search' | 'libraries' | 'memory'
  /** The library of the page. The search field in the header searches only this library. */
  library?: string
  status?: number
  headers?: Record<string, string>
}

export type Route = {
  method: 'GET' | 'POST'
  path: string
  answer(visit: Visit): Promise<PageContent | Html | Response>
}

export type Ingest = Pick<JobRequest, 'self' | 'env'> & {
  /** @throws OgError if this server must not read the source */
  checkSource(typed: string): Promise<void>
}

export type SiteMemory = {
  memories: Memories
  workspaces(): Promise<string[]>
  /** Keys for memory itself. Without keys, every visitor of the site can see memory. */
  keys: readonly MemoryKey[]
  /**
   * If defined, memory is read-only. Without keys, only clients that it accepts can read memory.
   */
  isReader?: (client: LocalClient) => Promise<boolean>
}

export type MemoryRight = {
  /** Workspaces that the request can see; null means all. */
  workspaces: readonly string[] | null
  readOnly: boolean
}
