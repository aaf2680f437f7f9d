import { openWebSite } from '../../../src/web/site.ts'
import type { LocalClient } from '../../../src/platform/web/peer-user.ts'
import { openMcpHome, type McpHome } from '../mcp.ts'
import type { Files } from '../repository.ts'
import type { Ingest, SiteMemory } from '../../../src/web/visit.ts'

/** The web page over libraries of a temporary home, called without a network. */
export type TestSite = AsyncDisposable & {
  home: McpHome
  add(library: string, version: string, files: Files): Promise<void>
  /** Requests a path, or submits `form` to it as a browser would. */
  ask(path: string, options?: Asking): Promise<Answered>
}

type Asking = {
  form?: Record<string, string> | URLSearchParams
  headers?: Record<string, string>
  method?: string
  client?: LocalClient
}
type Answered = { status: number; headers: Headers; text: string }

type Opening = { token?: string | null; ingest?: Ingest | null; memory?: SiteMemory | null }

export async function openTestSite({ token = null, ingest = null, memory = null }: Opening = {}) {
  const home = await openMcpHome()
  const { og } = home
  const knownSources = async () => ['fastapi']
  const site = openWebSite({ og, limit: 8, knownSources, ingest, memory }, token)
  const made: TestSite = {
    home,
    add: home.add,
    async ask(path, { form, headers = {}, method = form ? 'POST' : 'GET', client } = {}) {
      const body = form && new URLSearchParams(form)
      const request = new Request(`http://127.0.0.1:4241${path}`, { method, headers, body })
      const answer = await site.answer(request, client)
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    },
    [Symbol.asyncDispose]: home[Symbol.asyncDispose],
  }
  return made
}

/** Returns the CSRF token in a form of og. */
export function formTokenIn(text: string): string {
  return /name="form" value="([^"]+)"/.exec(text)?.[1] ?? ''
}
