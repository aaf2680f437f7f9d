/** Tests that a real browser runs no code of an indexed page. */
import { afterAll, beforeAll, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import { renderPageHtml } from '../../../src/page/show/page-html.ts'
import { browserLack, openBrowsed, type Browsed } from '../../support/page/browser.ts'
import { openShownHome } from '../../support/page/memory.ts'
import { testWhere } from '../../support/where.ts'

const test = testWhere(browserLack)
let site: Browsed
beforeAll(async () => {
  if (browserLack === null) site = await openBrowsed()
})
afterAll(() => site?.[Symbol.asyncDispose]())

const call = 'window.ran()'
const tags = [
  'script',
  'img',
  'svg',
  'math',
  'iframe',
  'object',
  'embed',
  'video',
  'audio',
  'details',
  'body',
  'input',
  'button',
  'form',
  'select',
  'textarea',
  'marquee',
  'style',
  'link',
  'meta',
  'base',
  'a',
  'table',
  'td',
  'div',
  'template',
  'noscript',
  'xss',
  'animate',
  'foreignObject',
  'isindex',
  'image',
]
const handlers = [
  'onerror',
  'onload',
  'onfocus',
  'onclick',
  'ontoggle',
  'onbegin',
  'onanimationstart',
  'onpointerover',
  'onscrollend',
  'onbeforematch',
]
const schemes = [
  `javascript:${call}`,
  `JaVaScRiPt:${call}`,
  `java\tscript:${call}`,
  `java\nscript:${call}`,
  `&#106;avascript:${call}`,
  `&#x6A;avascript&colon;${call}`,
  `\u0001javascript:${call}`,
  `data:text/html,<script>${call}</script>`,
  `vbscript:${call}`,
  `javascript&#58;${call}`,
]

/** The kinds of attack in public XSS cheat sheets (OWASP, PortSwigger, html5sec). */
const vectors = [
  ...tags.flatMap((tag) =>
    handlers.map((on) => `<${tag} src=x autofocus tabindex=1 ${on}="${call}">`),
  ),
  ...tags.map((tag) => `<${tag}>${call}</${tag}>`),
  ...tags.map((tag) => `<${tag}/${handlers[0]}=${call} src=//x>`),
  ...schemes.flatMap((to) => [
    `[a](${to})`,
    `[a](<${to}>)`,
    `[a]: ${to}\n\n[a]`,
    `<${to}>`,
    `![a](${to})`,
    `<a href="${to}">a</a>`,
    `<iframe src="${to}">`,
    `<form action="${to}"><button>a`,
    `<math href="${to}">a`,
    `<svg><a xlink:href="${to}"><text>a`,
    `<object data="${to}">`,
    `<meta http-equiv=refresh content="0;${to}">`,
  ]),
  ...['svg', 'math', 'noscript', 'template', 'table', 'select', 'title', 'textarea', 'xmp'].flatMap(
    (outer) => [
      `<${outer}><style><img src=x onerror=${call}></style></${outer}>`,
      `<${outer}><p title="</${outer}><img src=x onerror=${call}>">`,
      `<${outer}><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=${call}&gt;">`,
    ],
  ),
  `\`\`\`"><img src=x onerror=${call}>\n\`\`\``,
  `\`\`\`js" onclick="${call}\na\n\`\`\``,
  `# a {#"><img src=x onerror=${call}>}`,
  `<h2 id="x" onclick="${call}">a</h2>`,
  `<!--><img src=x onerror=${call}>-->`,
  `<![CDATA[><img src=x onerror=${call}>]]>`,
  `<?xml><img src=x onerror=${call}>`,
  `<a href="#" style="x:expression(${call})">a</a>`,
  `\u0000<script>${call}</script>`,
  `<scr<script>ipt>${call}</scr</script>ipt>`,
  `|<img src=x onerror=${call}>|\n|-|\n|a|`,
  `"><script src=//x.example></script>`,
]

/**
 * Public collections in the files listed in XSS_LISTS, with one vector per line or as a JSON array.
 */
const others = (process.env.XSS_LISTS ?? '')
  .split(':')
  .filter((path) => path !== '')
  .flatMap((path) => listOf(path))
  .filter((vector) => vector.trim() !== '')

function listOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return path.endsWith('.json') ? (JSON.parse(text) as string[]) : text.split('\n')
}

test('shows and finds a page that contains every attack vector', async () => {
  expect(vectors.length).toBeGreaterThan(500)
  // og treats a file with a NUL as binary and skips it.
  const all = [...vectors, ...others].map((vector) => vector.replaceAll('\0', ''))
  const files = Object.fromEntries(
    Array.from({ length: Math.ceil(all.length / 100) }, (_, i) => [
      `p${i}.md`,
      `# Vectors\n\n${all.slice(100 * i, 100 * (i + 1)).join('\n\nvector\n\n')}\n`,
    ]),
  )
  await site.home.add('hostile', '1', files)
  const { page, said } = await site.tab()
  await page.addInitScript('window.ran = () => console.log("ran")')
  const read = Object.keys(files).map(
    (name) =>
      `/read?${new URLSearchParams({ library: 'hostile', version: '1', url: `doc:/${name}` })}`,
  )
  for (const path of [...read, '/?q=vector', '/?q=onerror+img']) {
    await page.goto(path)
    for (const name of ['script', 'img', 'svg', 'iframe', 'form', 'style', 'object', 'link']) {
      const found = await page.locator(`.page ${name}, .excerpt ${name}`).count()
      expect([path, name, found]).toEqual([path, name, 0])
    }
    expect([path, (await page.locator('.page *, .excerpt *').count()) > 0]).toEqual([path, true])
  }
  expect(said).toEqual([])
})

test('the list of allowed tags is safe even without the content security policy', async () => {
  const { page, said } = await site.tab()
  await page.addInitScript('window.ran = () => console.log("ran")')
  await page.goto('about:blank')
  const all = [...vectors, ...others].map((text) => renderPageHtml({ text, markup: 'markdown' }))
  for (let from = 0; from < all.length; from += 25) {
    const shown = all
      .slice(from, from + 25)
      .map((one) => `<div>${one}</div>`)
      .join('')
    await page.setContent(
      `<!doctype html><meta charset="utf-8"><base href="http://x.example"><main>${shown}</main>`,
    )
    await page.evaluate(`for (const it of document.querySelectorAll('main *')) {
      for (const { name } of it.attributes) if (name.startsWith('on')) console.log('handler', name)
      if (/:/.test(it.href) && !/^(https?|mailto|about):/.test(it.href)) console.log('link', it.href)
    }`)
  }
  expect(said).toEqual([])
})

test('runs no code that agents wrote into the text, tags, headings and relations of memory', async () => {
  await using memory = await openShownHome()
  await using shown = await openBrowsed({ memory: memory.shown })
  const all = [...vectors, ...others].map((vector) => vector.replaceAll('\0', ''))
  const some = all.filter((_, i) => i % 4 === 0)
  const line = (text: string) => text.replace(/\s+/g, ' ')
  memory.put(
    'MEMORY.md',
    some.map((one) => `## ${line(one)}\n\n#${line(one).replaceAll(' ', '')}\n${one}\n`).join('\n'),
  )
  memory.put(
    'RELATIONS.md',
    some
      .slice(0, 60)
      .map((one) => line(one).replace(/[[\]]/g, ''))
      .map((one) => `- [${one}] --is--> [b] (2026-01-01) - "${one}"\n`)
      .join(''),
  )
  const { page, said } = await shown.tab()
  await page.addInitScript('window.ran = () => console.log("ran")')
  const pages = Array.from(
    { length: Math.ceil(some.length / 50) },
    (_, i) => `/memory?from=${50 * i}`,
  )
  for (const path of [
    ...pages,
    '/memory/relations',
    '/memory/audit',
    '/memory/search?q=onerror',
    '/memory/history',
  ]) {
    await page.goto(path)
    for (const name of [
      'main script',
      'img',
      'iframe',
      '.prose form',
      'style',
      'object',
      'main [onerror]',
    ]) {
      expect([path, name, await page.locator(name).count()]).toEqual([path, name, 0])
    }
  }
  expect(await page.locator('.parts').count()).toBe(1)
  expect(said).toEqual([])
})
