import { expect, test } from 'bun:test'
import { framedResponse } from '../../src/web/frame.ts'
import { OgError } from '../../src/platform/error.ts'
import { html, type Html } from '../../src/web/html.ts'

const right = { ingests: false, memory: null, visitor: null }
const stranger = { formToken: 'x', memory: null, right }
const visit = { ...stranger, hasLogin: false }

test('the security policy allows only content of this server', async () => {
  const answer = framedResponse({ title: '<b>', main: html`` }, visit)
  const policy = answer.headers.get('content-security-policy')!
  expect(policy).toStartWith("default-src 'none'; ")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toMatch(/unsafe|\*|data:|https?:/)
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('cache-control')).toBe('no-store')
  const text = await answer.text()
  expect(text).toContain('<title>&lt;b&gt; · og</title>')
  expect(text).not.toMatch(/<style|style="|<script(?! type="module" src="\/assets\/)| on\w+="/)
})

function sent(rest: AsyncGenerator<Html>) {
  return framedResponse({ title: 'a', main: html`<p>b</p>`, rest }, visit).body!.getReader()
}

test('streams the head first, then the body with the rest', async () => {
  const reader = sent(
    (async function* () {
      yield html`<i>c</i>`
      yield html`d`
    })(),
  )
  const pieces: string[] = []
  for (let it = await reader.read(); !it.done; it = await reader.read()) {
    pieces.push(new TextDecoder().decode(it.value))
  }
  expect(pieces).toEqual([
    expect.stringMatching(/<title>a · og[^]*<\/head>\n$/),
    expect.stringMatching(/^<body>[^]*<p>b<\/p><i>c<\/i>$/),
    'd',
    expect.stringMatching(/<\/html>\n$/),
  ])
})

test('sends the body without waiting for a slow rest', async () => {
  const made = Promise.withResolvers<Html>()
  const reader = sent(
    (async function* () {
      yield await made.promise
    })(),
  )
  await reader.read()
  expect(new TextDecoder().decode((await reader.read()).value)).toEndWith('<p>b</p>')
  made.resolve(html`late`)
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('late')
})

test('shows an OgError in the page and aborts on other errors', async () => {
  const failing = (error: Error) =>
    (async function* (): AsyncGenerator<Html> {
      yield html`c`
      throw error
    })()
  const shape = { title: 'a', main: html`<p>b</p>` }
  const told = framedResponse({ ...shape, rest: failing(new OgError('No <room>')) }, visit)
  const text = await told.text()
  expect(text).toMatch(
    /<p>b<\/p>c<div class="broken"><div class="problem" role="alert"><p>No &lt;room&gt;/,
  )
  expect(text).toEndWith('</html>\n')
  const reader = framedResponse(
    { ...shape, rest: failing(new Error('defect')) },
    visit,
  ).body!.getReader()
  for (const end of ['</head>\n', '<p>b</p>c']) {
    expect(new TextDecoder().decode((await reader.read()).value)).toEndWith(end)
  }
  const last = new TextDecoder().decode((await reader.read()).value)
  expect(last).toContain('role="alert"><p>This page is incomplete')
  expect([last.includes('defect'), last.endsWith('</html>\n')]).toEqual([false, true])
  await expect(reader.read()).rejects.toThrow('defect')
})

test('the browser receives the part sent before an abort', async () => {
  const failing = async function* (): AsyncGenerator<Html> {
    yield html`c`
    throw new Error('defect')
  }
  using server = Bun.serve({
    port: 0,
    development: false,
    error: () => new Response(null, { status: 500 }),
    fetch: () => framedResponse({ title: 'a', main: html`<p>b</p>`, rest: failing() }, visit),
  })
  const seen = Promise.withResolvers<string>()
  let text = ''
  await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port!,
    socket: {
      open: (socket) => void socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
      data: (_, bytes) => void (text += bytes.toString('latin1')),
      close: () => seen.resolve(text),
    },
  })
  expect(await seen.promise).toContain('This page is incomplete')
  expect(text).not.toEndWith('\r\n0\r\n\r\n')
})

test('shows the logout button only after a login', async () => {
  const text = await framedResponse(
    { title: '', main: html`` },
    { ...stranger, hasLogin: true },
  ).text()
  expect(text).toContain('action="/logout"')
})
