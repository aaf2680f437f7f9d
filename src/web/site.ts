import type { SitePage } from '../mcp/http/site.ts'
import { OgError } from '../platform/error.ts'
import { expiredCookie, openAccess, type Access, type PageKey } from './access.ts'
import {
  assetAt,
  framedResponse,
  errorResponse,
  redirect,
  safeHeaders,
  statusOf,
  hiddenFields,
  bareResponse,
} from './frame.ts'
import { html } from './html.ts'
import { healthRoutes } from './library/health-page.ts'
import { jobRoutes } from './library/jobs.ts'
import { libraryRoutes } from './library/libraries-page.ts'
import { pagesRoutes } from './library/pages-page.ts'
import { writeHint } from './memory/site-memory.ts'
import type { LocalClient } from '../platform/web/peer-user.ts'
import { diffRoutes } from './read/diff-page.ts'
import { readRoutes } from './read/read-page.ts'
import { searchRoutes } from './search/search-page.ts'
import type {
  PageRight,
  Route,
  PageContent,
  SiteContext,
  Visit,
  Visitor,
  VisitorRing,
  MemoryRight,
  SiteMemory,
} from './visit.ts'
import { auditRoutes } from './memory/audit-page.ts'
import { backupsRoutes } from './memory/backups-page.ts'
import { entriesRoutes } from './memory/entries-page.ts'
import { entryRoutes, historyRoutes } from './memory/entry-page.ts'
import { inboxRoutes } from './memory/inbox-page.ts'
import { relationsRoutes } from './memory/relations-page.ts'
import { writeRoutes } from './memory/write-routes.ts'

/**
 * Creates the web site for people.
 * @param token the server's secret; visitors present it or a key in `ring`. If both are null,
 * everyone can see the documentation.
 */
export function openWebSite(
  context: SiteContext,
  token: string | null,
  ring: VisitorRing | null = null,
): SitePage {
  const { memory } = context
  const access = openAccess(keysOf(memory, token, ring), ring)
  const guest: PageRight | null =
    token !== null || ring !== null
      ? null
      : { ingests: true, memory: memoryFor(memory), visitor: null }
  const closing = new AbortController()
  const routes = [
    ...searchRoutes,
    ...readRoutes,
    ...diffRoutes,
    ...libraryRoutes,
    ...pagesRoutes,
    ...jobRoutes,
    ...healthRoutes,
    ...(memory === null ? [] : memoryRoutes),
  ]
  const places = new Set([...routes.map(({ path }) => path), '/login', '/logout'])
  return {
    async answer(request, client = null) {
      const { pathname, searchParams } = new URL(request.url)
      const asset = assetAt(pathname)
      if (asset !== null) return asset
      const form = await formOf(request)
      const own = access.rightOf(request)
      const isOfMemory = memory !== null && /^\/memory(?:\/|$)/.test(pathname)
      // Responses without a frame contain no link to memory, so the client need not be known.
      const right = await withReading(own ?? guest, frameless.has(pathname) ? null : memory, client)
      const visit: Visit = {
        ...context,
        request,
        form,
        path: pathname,
        params: searchParams,
        right: right ?? noRights,
        ingest: right?.ingests === true ? context.ingest : null,
        formToken: access.formToken(request),
        hasLogin: own !== null,
        ...shareOf(right?.visitor ?? null, { context, closing: closing.signal }),
      }
      const wait = right?.visitor?.wait(1) ?? 0
      if (wait > 0) return refusal(tooManyRequests(wait), visit)
      const hasKeys = token !== null || ring !== null || (memory !== null && memory.keys.length > 0)
      if (pathname === '/login' && hasKeys) return login(access, visit)
      if (right === null) return toLogin(visit)
      if (isOfMemory && right.memory === null) {
        return isForReaders(memory) ? framedResponse(memoryForbidden, visit) : toLogin(visit)
      }
      if (request.method === 'POST' && !access.isOurForm(request, form.get('form'))) {
        return framedResponse(expiredForm, visit)
      }
      if (pathname === '/logout' && request.method === 'POST') {
        return redirect(guest === null ? '/login' : '/', { 'Set-Cookie': expiredCookie })
      }
      return answerBy(routes, visit)
    },
    keyNameOf: (request) => access.rightOf(request)?.visitor?.name ?? null,
    hasPath: (path) => places.has(path) || assetAt(path) !== null,
    close: () => closing.abort(),
    parts: { page: '/', ...(memory !== null && !memory.isReader && { memory: '/memory' }) },
  }
}

const fullMemoryRight: MemoryRight = { workspaces: null, readOnly: false }
const frameless = new Set(['/hits', '/jobs/events'])
const noRights: PageRight = { ingests: false, memory: null, visitor: null }

/** Returns the right to memory of a visitor without a memory key, or null. */
function memoryFor(memory: SiteMemory | null): MemoryRight | null {
  return memory === null || memory.keys.length > 0 || memory.isReader ? null : fullMemoryRight
}

function isForReaders(memory: SiteMemory | null): boolean {
  return memory?.isReader !== undefined && memory.keys.length === 0
}

/** Adds the right to read memory if `isReader` accepts the client. */
async function withReading(
  right: PageRight | null,
  memory: SiteMemory | null,
  client: LocalClient | null,
): Promise<PageRight | null> {
  if (right === null || client === null || !isForReaders(memory)) return right
  const isReader = await memory!.isReader!(client)
  return isReader ? { ...right, memory: { workspaces: null, readOnly: true } } : right
}

const memoryForbidden = problemPage('Memory is not available to you', {
  message: 'Only programs of the user who started og can see memory',
  hint: writeHint,
  status: 403,
})

type UnrestrictedSite = { context: SiteContext; closing: AbortSignal }

function shareOf(visitor: Visitor | null, { context, closing }: UnrestrictedSite) {
  if (visitor === null) return { canSee: () => true, closing }
  const { og, canSee, revoked } = visitor
  const knownSources = async () => (await context.knownSources()).filter(canSee)
  return { og, canSee, knownSources, closing: AbortSignal.any([closing, revoked]) }
}

function tooManyRequests(waitSeconds: number): PageContent {
  const seconds = Math.ceil(waitSeconds)
  const message = 'Your key has reached its request limit'
  const hint = `try again in ${seconds} s`
  const page = problemPage('Too many requests', { message, hint, status: 429 })
  return { ...page, headers: { 'Retry-After': String(seconds) } }
}

/**
 * Returns the site's keys with their rights. The server token also opens memory, unless memory has
 * its own keys. A memory key also opens the documentation, but no library if there is a key ring.
 */
function keysOf(
  memory: SiteMemory | null,
  token: string | null,
  ring: VisitorRing | null,
): PageKey<PageRight>[] {
  const own = (memory?.keys ?? []).map(({ secret, workspaces, readOnly }) => ({
    secret,
    right: {
      ingests: secret === token || (token === null && ring === null),
      memory: { workspaces, readOnly: readOnly || memory?.isReader !== undefined },
      visitor: secret === token ? null : (ring?.stranger ?? null),
    },
  }))
  const right = { ingests: true, memory: memoryFor(memory), visitor: null }
  return token === null ? own : [...own, { secret: token, right }]
}

/** Rejects a request with a page, or with bare content if page.js requested hits. */
function refusal(shape: PageContent, visit: Visit): Response {
  return frameless.has(visit.path) ? bareResponse(shape.main, shape) : framedResponse(shape, visit)
}

async function answerBy(routes: readonly Route[], visit: Visit): Promise<Response> {
  const { request, path } = visit
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const here = routes.filter((route) => route.path === path)
  const route = here.find((it) => it.method === method)
  if (route === undefined)
    return framedResponse(here.length > 0 ? methodNotAllowed : notFound, visit)
  const answer = await route.answer(visit).catch(shapeOfError)
  if (answer instanceof Response) return answer
  return 'main' in answer ? framedResponse(answer, visit) : bareResponse(answer)
}

function shapeOfError(error: unknown): PageContent {
  if (!(error instanceof OgError)) throw error
  const { message, hint } = error
  return problemPage('Request failed', { message, hint, status: statusOf(error) })
}

const notFound: PageContent = {
  title: 'Not found',
  main: html`<h1>Page not found</h1><p><a href="/">Search the documentation</a></p>`,
  status: 404,
}

const methodNotAllowed = problemPage('Method not allowed', {
  message: 'This address does not accept this kind of request',
  status: 405,
})

const expiredForm = problemPage('Form expired', {
  message: 'Nothing was changed: the form has expired',
  hint: 'reload the page and try again',
  status: 403,
})

type Problem = { message: string; hint?: string; status: number }

function problemPage(title: string, { message, hint, status }: Problem): PageContent {
  return { title, main: html`<h1>${title}</h1>${errorResponse(message, hint)}`, status }
}

/**
 * Returns the fields of a form. Other bodies have no fields, and are later rejected because the
 * CSRF token is missing.
 */
async function formOf(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? ''
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type)
  return new URLSearchParams(request.method === 'POST' && isForm ? await request.text() : '')
}

function toLogin({ request, path }: Visit): Response {
  if (request.method !== 'GET') {
    return new Response('Log in first\n', { status: 401, headers: safeHeaders })
  }
  const { search } = new URL(request.url)
  return redirect(`/login?${new URLSearchParams({ to: `${path}${search}` })}`)
}

function login(access: Access<PageRight>, visit: Visit): Response {
  const { request, form, params } = visit
  if (request.method !== 'POST') return framedResponse(loginForm(visit, null), visit)
  if (!access.isOurForm(request, form.get('form'))) return framedResponse(expiredForm, visit)
  const cookie = access.login(request, form.get('token') ?? '')
  if (cookie === null) {
    return framedResponse({ ...loginForm(visit, 'Wrong token'), status: 401 }, visit)
  }
  return redirect(localPath(form.get('to') ?? params.get('to')), { 'Set-Cookie': cookie })
}

function loginForm(visit: Visit, wrong: string | null): PageContent {
  const { params, form, memory } = visit
  const to = localPath(form.get('to') ?? params.get('to'))
  const main = html`<form class="login" method="post" action="/login">
<h1>Log in</h1>
${wrong && errorResponse(wrong)}
<input type="text" name="name" value="og" autocomplete="username" hidden>
<label for="token">Server token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<p class="hint">The server has its token from <code>--token-file</code> or
 <code>OG_SERVE_TOKEN</code>${memory !== null && html`; a memory key opens the memory`}.</p>
${hiddenFields(visit, { to })}
<button>Log in</button>
</form>`
  return { title: 'Log in', main }
}

/** Returns the path to open after login, or `/` for any text that could lead to another site. */
function localPath(path: string | null): string {
  return path !== null && /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : '/'
}

export const memoryRoutes: readonly Route[] = [
  ...entriesRoutes,
  ...entryRoutes,
  ...writeRoutes,
  ...inboxRoutes,
  ...historyRoutes,
  ...relationsRoutes,
  ...auditRoutes,
  ...backupsRoutes,
]
