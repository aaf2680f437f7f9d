import { settlesWithin } from '../platform/concurrency.ts'
import { OgError } from '../platform/error.ts'
import { html, htmlText, type Html } from './html.ts'
import type { PageContent, Visit } from './visit.ts'
import { createHash } from 'node:crypto'
import css from './assets/page.css' with { type: 'text' }
import icon from './assets/icon.svg' with { type: 'text' }
import js from './assets/page.js' with { type: 'text' }

/**
 * The Content-Security-Policy. Scripts, styles, images and requests come only from this server,
 * whatever markup a page contains. page.js uses the Trusted Types policy `og` to insert markup.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types og',
].join('; ')

export const safeHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  // `no-referrer` would set the Origin header of this site's own forms to null.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

type FrameContext = Pick<Visit, 'formToken' | 'hasLogin' | 'memory' | 'right'>

export function framedResponse(shape: PageContent, visit: FrameContext): Response {
  const head = `<!doctype html>\n${htmlText(headOf(shape))}`
  const body = `${htmlText(bodyOf(shape, visit))}${htmlText(shape.main)}`
  const { rest } = shape
  if (rest === undefined) return answerOf(`${head}${body}${htmlText(closing)}`, shape)
  return answerOf(streamOf(pieces({ head, body }, rest)), shape)
}

/** A delay that readers do not notice. Painting twice within it would be wasted work. */
const soonMs = 100

/**
 * Yields the page in sending order. The head is first, so that the browser fetches the style sheet
 * early. The body waits at most `soonMs` for the first part of `rest`. The status has been sent
 * before `rest` runs, so the page shows an OgError. Any other error aborts the response.
 */
async function* pieces(
  { head, body }: { head: string; body: string },
  rest: AsyncGenerator<Html>,
): AsyncGenerator<string> {
  yield head
  let unsent = body
  try {
    const first = rest.next()
    if (!(await settlesWithin(soonMs, first))) {
      yield unsent
      unsent = ''
    }
    for (let part = await first; !part.done; part = await rest.next()) {
      yield `${unsent}${htmlText(part.value)}`
      unsent = ''
    }
  } catch (error) {
    const isOurs = error instanceof OgError
    const message = isOurs ? errorResponse(error.message, error.hint) : brokenOff
    unsent += htmlText(html`<div class="broken">${message}</div>`)
    if (!isOurs) {
      yield `${unsent}${htmlText(closing)}`
      // If a stream fails, Bun discards unwritten bytes. It writes after each turn of the event
      // loop.
      await Bun.sleep(0)
      throw error
    }
  } finally {
    await rest.return(undefined)
  }
  yield `${unsent}${htmlText(closing)}`
}

const brokenOff = errorResponse(
  'This page is incomplete: the server failed',
  'reload it to try again',
)

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await texts.return(undefined)),
  })
}

export function bareResponse(
  part: Html,
  answered: Pick<PageContent, 'status' | 'headers'> = {},
): Response {
  return answerOf(htmlText(part), answered)
}

function answerOf(
  text: string | ReadableStream<Uint8Array>,
  { status = 200, headers = {} }: Partial<PageContent>,
): Response {
  const size = typeof text === 'string' && { 'Content-Length': String(Buffer.byteLength(text)) }
  const type = { 'Content-Type': 'text/html; charset=utf-8' }
  return new Response(text, { status, headers: { ...safeHeaders, ...type, ...size, ...headers } })
}

const places = [
  { place: 'search', href: '/', name: 'Search' },
  { place: 'libraries', href: '/libraries', name: 'Libraries' },
  { place: 'memory', href: '/memory', name: 'Memory' },
] as const

function headOf({ title }: PageContent): Html {
  return html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · og</title>
<link rel="icon" href="${assets.icon.path}">
<link rel="stylesheet" href="${assets.css.path}">
<script type="module" src="${assets.js.path}"></script>
</head>
`
}

function bodyOf({ place, library }: PageContent, visit: FrameContext): Html {
  const { hasLogin } = visit
  const visible = places.filter((it) => it.place !== 'memory' || leadsToMemory(visit))
  return html`<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="home" href="/">og</a>
<nav aria-label="Places">
${visible.map((it) => html`<a href="${it.href}"${current(it.place === place)}>${it.name}</a>`)}
</nav>
${(place === 'libraries' || library !== undefined) && searchForm(library)}
${
  hasLogin &&
  html`<form method="post" action="/logout">${hiddenFields(visit)}
<button class="quiet">Log out</button></form>`
}
</header>
<main id="main" tabindex="-1">
`
}

function searchForm(library: string | undefined): Html {
  const what = library === undefined ? 'Search' : `Search ${library}`
  const scope =
    library !== undefined && html`<input type="hidden" name="library" value="${library}">`
  return html`<form class="find" action="/" role="search">${scope}
<input type="search" name="q" aria-label="${what}" placeholder="${what}" autocomplete="off">
<kbd class="key" aria-hidden="true">/</kbd></form>`
}

const closing = html`
</main>
</body>
</html>
`

/** True if the header has a link to memory: the visitor can read it or log in with a memory key. */
function leadsToMemory({ memory, right }: FrameContext): boolean {
  return memory !== null && (right.memory !== null || memory.keys.length > 0)
}

function current(isCurrent: boolean): Html | null {
  return isCurrent ? html` aria-current="page"` : null
}

export function hiddenFields(
  { formToken }: Pick<Visit, 'formToken'>,
  values: Readonly<Record<string, string>> = {},
): Html {
  const fields = Object.entries({ form: formToken, ...values }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`${fields}`
}

export function action(
  visit: Pick<Visit, 'formToken'>,
  { path, name }: { path: string; name: string },
  values: Record<string, string>,
): Html {
  const fields = hiddenFields(visit, values)
  return html`<form class="action" method="post" action="${path}">${fields}<button class="quiet">${
    name
  }</button></form>`
}

export function statusOf({ code }: OgError): number {
  const statuses = {
    absent: 404,
    empty: 404,
    denied: 403,
    unreachable: 503,
    failed: 400,
    'not-text': 400,
  }
  return statuses[code]
}

export function errorResponse(message: string, hint?: string): Html {
  const remedy = hint && html`<p>${hint}</p>`
  return html`<div class="problem" role="alert"><p>${message}</p>${remedy}</div>`
}

export function redirect(to: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { ...safeHeaders, ...headers, Location: to } })
}

type Asset = { path: string; type: string; text: string }

/** Creates a static file. Its URL has a hash of its content, so browsers cache it forever. */
function asset(name: string, type: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { path: `/assets/${hash}/${name}`, type: `${type}; charset=utf-8`, text }
}

export const assets = {
  css: asset('page.css', 'text/css', css),
  js: asset('page.js', 'text/javascript', js),
  icon: asset('icon.svg', 'image/svg+xml', icon),
}

export function assetAt(path: string): Response | null {
  const asset = Object.values(assets).find((it) => it.path === path)
  if (asset === undefined) return null
  const headers = {
    'Content-Type': asset.type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
  }
  return new Response(asset.text, { headers })
}
