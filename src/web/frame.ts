import { OgError } from '../platform/error.ts'
import { assets } from './assets.ts'
import { html, htmlText, type Html } from './html.ts'
import type { Shape, Visit } from './visit.ts'

/**
 * Nothing runs, shows or is sent anywhere but what this server itself names; no markup of a page
 * could change that. `og` is the one policy by which the module places markup of this server.
 */
const policy = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
  "connect-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
  "require-trusted-types-for 'script'", 'trusted-types og',
].join('; ')

export const safeHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  // Not no-referrer: by that, browsers send the Origin of our own forms as null.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** What the frame has to know of a visit. */
type Framing = Pick<Visit, 'formToken' | 'hasLogin' | 'memory' | 'right'>

/** A whole page: the frame that all share, around what is asked. */
export function framed(shape: Shape, visit: Framing): Response {
  const head = `<!doctype html>\n${htmlText(headOf(shape))}`
  const body = `${htmlText(bodyOf(shape, visit))}${htmlText(shape.main)}`
  const { rest } = shape
  if (rest === undefined) return answerOf(`${head}${body}${htmlText(closing)}`, shape)
  return answerOf(streamOf(pieces({ head, body }, rest)), shape)
}

/** So long a reader sees nothing amiss; to paint twice within it would only cost time. */
const soonMs = 100

/**
 * The head goes first: by it a browser starts its work and fetches the style sheet. The body waits
 * a moment for what belongs in it, and then begins without. What goes wrong is told in its place:
 * the status has been sent.
 */
async function* pieces(
  { head, body }: { head: string; body: string },
  rest: AsyncGenerator<Html>,
): AsyncGenerator<string> {
  yield head
  let unsent = body
  try {
    const first = rest.next()
    if (!await isSettledWithin(soonMs, first)) {
      yield unsent
      unsent = ''
    }
    for (let part = await first; !part.done; part = await rest.next()) {
      yield `${unsent}${htmlText(part.value)}`
      unsent = ''
    }
  } catch (error) {
    if (!(error instanceof OgError)) throw error
    unsent += htmlText(problem(error.message, error.hint))
  } finally {
    await rest.return(undefined)
  }
  yield `${unsent}${htmlText(closing)}`
}

async function isSettledWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>()
  const timer = setTimeout(late.resolve, ms, false)
  const settled = promise.then(() => true, () => true)
  return await Promise.race([settled, late.promise]).finally(() => clearTimeout(timer))
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await texts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void await texts.return(undefined),
  })
}

/** A part of a page, for the module. */
export function unframed(part: Html): Response {
  return answerOf(htmlText(part), {})
}

type Sent = string | ReadableStream<Uint8Array>

function answerOf(text: Sent, { status = 200, headers = {} }: Partial<Shape>): Response {
  const size = typeof text === 'string' && { 'Content-Length': String(Buffer.byteLength(text)) }
  const type = { 'Content-Type': 'text/html; charset=utf-8' }
  return new Response(text, { status, headers: { ...safeHeaders, ...type, ...size, ...headers } })
}

const places = [
  { place: 'search', href: '/', name: 'Search' },
  { place: 'libraries', href: '/libraries', name: 'Libraries' },
  { place: 'memory', href: '/memory', name: 'Memory' },
] as const

function headOf({ title }: Shape): Html {
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

function bodyOf({ place }: Shape, visit: Framing): Html {
  const { formToken, hasLogin } = visit
  const shown = places.filter((it) => it.place !== 'memory' || leadsToMemory(visit))
  return html`<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="home" href="/">og</a>
<nav aria-label="Places">
${shown.map((it) => html`<a href="${it.href}"${current(it.place === place)}>${it.name}</a>`)}
</nav>
${hasLogin && html`<form method="post" action="/logout">${tokenField(formToken)}
<button class="quiet">Log out</button></form>`}
</header>
<main id="main" tabindex="-1">
`
}

const closing = html`
</main>
</body>
</html>
`

/** Who may read it, or could by a key of its own; to who would be refused it is not named. */
function leadsToMemory({ memory, right }: Framing): boolean {
  return memory !== null && (right.memory !== null || memory.keys.length > 0)
}

function current(isCurrent: boolean): Html | null {
  return isCurrent ? html` aria-current="page"` : null
}

/** What a form that changes something holds; see `Access`. */
export function tokenField(formToken: string): Html {
  return html`<input type="hidden" name="form" value="${formToken}">`
}

/** A form of one button. */
export function action(
  { formToken }: Pick<Visit, 'formToken'>,
  { path, name }: { path: string; name: string },
  values: Record<string, string>,
): Html {
  const fields = Object.entries(values).map(([key, value]) =>
    html`<input type="hidden" name="${key}" value="${value}">`)
  return html`<form class="action" method="post" action="${path}">${tokenField(formToken)}${
    fields}<button class="quiet">${name}</button></form>`
}

/** What could not be done, and the remedy. */
export function problem(message: string, hint?: string): Html {
  const remedy = hint && html`<p>${hint}</p>`
  return html`<div class="problem" role="alert"><p>${message}</p>${remedy}</div>`
}

/** Where a browser goes on after a form. */
export function redirect(to: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { ...safeHeaders, ...headers, Location: to } })
}
