/**
 * Measures the web page of `og serve` in Chromium with the browser's performance entries (paint,
 * largest-contentful-paint, layout-shift, resource): `npm run bench -- page [--before PATH]`; JSON
 * on stdout, in milliseconds. PATH is an older dist/og. It and an empty page are measured
 * alternately with the current version, so that the comparison is valid on a busy machine.
 *
 * dist/og serves a copy of the library indexed by `npm run eval` whose size is nearest to 10,000
 * chunks (MongoDB's manual), and a page of 200 kB made from FastAPI's documentation.
 * `scripts/pictures.ts` describes how Chromium is found.
 */
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { round, serverMs, since, spread, watchThread, type Computed } from './page-figures.ts'

type Benched = {
  og: string
  /** An older executable to measure alternately with `og`, or null. */
  before: string | null
  evalStore: string
  docs: string
  work: string
  runs: number
}

/** Queries that are typed one key after the other. */
const typed = [
  'create an index',
  'aggregation pipeline $lookup',
  'replica set election',
  'shard key',
  'transactions',
  'connection string options',
  'change streams resume',
  'backup mongodump',
]

export async function benchPage({ og, before, evalStore, docs, work, runs }: Benched) {
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const store = join(work, 'store')
  const library = nearestOf(evalStore, store)
  const env = { HOME: work, PATH: process.env.PATH, OG_DB_PATH: store }
  const folder = longPage(docs, work)
  const added = Bun.spawnSync(
    [og, 'add', 'long', '-v', '1', '-s', folder, '--base-url', 'https://docs.example'],
    { env, cwd: work },
  )
  if (added.exitCode !== 0) throw new Error(`og add: ${added.stderr.toString()}`)
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: [...browserArgs] })
  const names: Record<string, string> = { now: og, ...(before !== null && { before }) }
  const start = (name: string) => serve(names[name]!, { browser, env, library: library.name })
  const html = '<!doctype html><meta charset=utf-8><title>empty</title><p>nothing'
  const headers = { 'content-type': 'text/html' }
  using empty = Bun.serve({ port: 0, fetch: () => new Response(html, { headers }) })
  const emptyPage = () => fresh(browser, (page) => load(page, empty.url.href))
  // The first start of an executable unpacks its native libraries, so it is not measured.
  for (const name of Object.keys(names)) await (await start(name)).close()
  try {
    const starting = <T>(look: (site: Site) => Promise<T>) =>
      inTurn(Object.keys(names), runs, async (name) => {
        const site = await start(name)
        return await look(site).finally(() => site.close())
      })
    const starts = await starting(firstLooks)
    const keys = await starting(firstKey)
    const sites = new Map<string, Site>()
    for (const name of Object.keys(names)) sites.set(name, await start(name))
    const figures = await lasting(sites, { emptyPage, runs })
    for (const site of sites.values()) await site.close()
    const first = Object.fromEntries(
      Object.entries(starts).map(([name, all]) => [
        name,
        {
          search: loadings(all.map(({ search }) => search)),
          read: loadings(all.map(({ read }) => read)),
          keyStrokeToHits: spread(keys[name]!.map(({ there }) => there)),
        },
      ]),
    )
    return { chunks: library.chunks, load: loadavg(), firstOfAProcess: first, ...figures }
  } finally {
    await browser.close()
    rmSync(work, { recursive: true })
  }
}

type Site = {
  browser: Browser
  origin: string
  pid: number
  library: string
  close(): Promise<void>
}

type Surrounding = { browser: Browser; env: Record<string, string | undefined>; library: string }

async function serve(og: string, { browser, env, library }: Surrounding): Promise<Site> {
  const server = Bun.spawn([og, 'serve', '--port', '0'], { env, cwd: env.HOME!, stdout: 'pipe' })
  const { value } = await server.stdout.getReader().read()
  const { origin } = new URL(new TextDecoder().decode(value).trim())
  const close = async () => {
    server.kill()
    await server.exited
  }
  return { browser, origin, pid: server.pid, library, close }
}

/** Measures all names alternately, `count` times, so that other load affects all of them alike. */
async function inTurn<T>(
  names: readonly string[],
  count: number,
  measure: (name: string, i: number) => Promise<T>,
): Promise<Record<string, T[]>> {
  const all: Record<string, T[]> = Object.fromEntries(names.map((name) => [name, []]))
  for (let i = 0; i < count; i++) {
    for (const name of names) all[name]!.push(await measure(name, i))
  }
  return all
}

/** Loads a first search, which opens the store, and then a page to read, both in a new process. */
async function firstLooks({ browser, origin }: Site) {
  const search = await fresh(browser, (page) => load(page, `${origin}/?q=index`))
  const read = await fresh(browser, (page) => load(page, longAddress(origin)))
  return { search, read }
}

/** Measures the first keystroke in a new process, one second after the form has opened. */
async function firstKey({ browser, origin }: Site): Promise<Stroke> {
  return await fresh(browser, async (page) => {
    await page.goto(`${origin}/`)
    await page.evaluate(strokes)
    await Bun.sleep(1_000)
    await page.keyboard.type('i')
    await page.evaluate(until('strokes.at(0)?.painted'))
    return ((await page.evaluate('strokes')) as Stroke[])[0]!
  })
}

type Lasting = { emptyPage: () => Promise<Loading>; runs: number }

/** Measures processes that have already answered requests. */
async function lasting(sites: ReadonlyMap<string, Site>, { emptyPage, runs }: Lasting) {
  const names = [...sites.keys()]
  for (const site of sites.values()) await firstLooks(site)
  const loads = (addressOf: (site: Site, i: number) => string) =>
    inTurn(['empty', ...names], runs * typed.length, async (name, i) => {
      const site = sites.get(name)
      if (site === undefined) return { ...(await emptyPage()), cpuOfServer: 0 }
      const before = serverMs(site)
      const loading = await fresh(site.browser, (page) => load(page, addressOf(site, i)))
      return { ...loading, cpuOfServer: serverMs(site) - before }
    })
  const each = <T, S>(of: Record<string, T[]>, sum: (all: T[]) => S) =>
    Object.fromEntries(Object.entries(of).map(([name, all]) => [name, sum(all)]))
  return {
    search: each(await loads(searchAddress), loadings),
    searchInOpenTab: each(await inOneTab(sites, runs, searchAddress), loadings),
    pageOf200kB: each(await loads(({ origin }) => longAddress(origin)), loadings),
    pageOf200kBInOpenTab: each(
      await inOneTab(sites, runs, ({ origin }) => longAddress(origin)),
      loadings,
    ),
    keyStrokeToHits: await keyStrokes(sites, runs),
  }
}

function searchAddress({ origin, library }: Site, i: number): string {
  return `${origin}/?${new URLSearchParams({ q: typed[i % typed.length]!, library })}`
}

function longAddress(origin: string): string {
  const url = 'https://docs.example/long.md'
  return `${origin}/read?${new URLSearchParams({ library: 'long', version: '1', url })}`
}

const browserArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
] as const

/** Copies the library nearest to 10,000 chunks into its own store; `from` is only read. */
function nearestOf(from: string, to: string): { name: string; chunks: number } {
  const registry = JSON.parse(readFileSync(join(from, 'registry.json'), 'utf8')) as Registry
  const [entry] = registry.entries.sort((a, b) => distance(a) - distance(b))
  if (entry === undefined) throw new Error(`nothing is indexed in ${from}: run npm run eval`)
  const { id, chunks } = entry.live
  cpSync(join(from, 'generations', id), join(to, 'generations', id), { recursive: true })
  const kept = { ...registry, entries: [{ ...entry, previous: null }] }
  writeFileSync(join(to, 'registry.json'), JSON.stringify(kept))
  return { name: entry.library, chunks }
}

type Entry = { library: string; live: { id: string; chunks: number } }
type Registry = { entries: Entry[] }

function distance({ live: { chunks } }: Entry): number {
  return Math.abs(chunks - 10_000)
}

/** Writes one long page by joining pages with a lot of code. */
function longPage(docs: string, work: string): string {
  const names = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('release-notes'))
    .sort()
  const all = names.map((name) => readFileSync(join(docs, name), 'utf8')).join('\n\n')
  const folder = join(work, 'long')
  mkdirSync(folder)
  writeFileSync(join(folder, 'long.md'), all.slice(0, 200_000))
  return folder
}

/** Collects performance entries; `shown` is the time when the first hit or text was painted. */
const collector = `window.seen = { shift: 0, lcp: 0, shown: 0 }
const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take))
  .observe({ type, buffered: true })
watch('layout-shift', (it) => { if (!it.hadRecentInput) seen.shift += it.value })
watch('largest-contentful-paint', (it) => { seen.lcp = it.startTime })
const look = new MutationObserver(() => {
  if (!document.querySelector('.hit, .page > :not(.place), body > p')) return
  look.disconnect()
  requestAnimationFrame(() => {
    const channel = new MessageChannel()
    channel.port1.onmessage = () => { seen.shown = performance.now() }
    channel.port2.postMessage(null)
  })
})
look.observe(document, { childList: true, subtree: true })`

/** Polls inside the page, which forbids Playwright's own wait: that evaluates text as code. */
function until(condition: string): string {
  return `new Promise((done) => {
    const look = () => (${condition}) ? done() : setTimeout(look, 5)
    look()
  })`
}

type Loading = {
  answered: number
  /** The time when the last style sheet was loaded. */
  styled: number
  firstPaint: number
  shown: number
  largestPaint: number
  loaded: number
  shift: number
  cpuOfTab: Computed
}

async function load(page: Page, address: string): Promise<Loading> {
  const computed = await watchThread(page)
  const before = await computed()
  const answer = await page.goto(address, { waitUntil: 'load' })
  if (!answer?.ok()) throw new Error(`${address}: ${answer?.status()}`)
  // The browser reports paint entries only after the frame that they describe.
  await page.evaluate(until('seen.lcp > 0 && seen.shown > 0'))
  const loading = (await page.evaluate(`(() => {
    const [it] = performance.getEntriesByType('navigation')
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    const sheets = performance.getEntriesByType('resource').filter(({ name }) => /css$/.test(name))
    const styled = Math.max(0, ...sheets.map(({ responseEnd }) => responseEnd))
    return { answered: it.responseStart, styled, firstPaint: paint.startTime, shown: seen.shown,
      largestPaint: seen.lcp,
      loaded: it.loadEventEnd, shift: seen.shift }
  })()`)) as Omit<Loading, 'cpuOfTab'>
  return { ...loading, cpuOfTab: since(before, await computed()) }
}

/** Uses a new browser context for each load, so that no style sheet is cached. */
async function fresh<T>(browser: Browser, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.addInitScript(collector)
  try {
    return await use(page)
  } finally {
    await context.close()
  }
}

/** Loads each URL in a tab that already shows a search, as after a click on a hit. */
async function inOneTab(
  sites: ReadonlyMap<string, Site>,
  runs: number,
  addressOf: (site: Site, i: number) => string,
) {
  const tabs = new Map<string, Page>()
  for (const [name, site] of sites) tabs.set(name, await openTab(site))
  const all = await inTurn([...tabs.keys()], runs * typed.length, async (name, i) => {
    const [site, tab] = [sites.get(name)!, tabs.get(name)!]
    await load(tab, searchAddress(site, i + 1))
    return await load(tab, addressOf(site, i))
  })
  for (const tab of tabs.values()) await tab.context().close()
  return all
}

async function openTab({ browser }: Site): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.addInitScript(collector)
  return page
}

/**
 * Measures the time from a key event until the hits are in the document, and until they are
 * painted.
 */
const strokes = `window.strokes = []
document.querySelector('#q').addEventListener('input', (event) => {
  strokes.push({ at: event.timeStamp })
})
new MutationObserver(() => {
  const stroke = strokes.at(-1)
  if (!stroke || stroke.there) return
  stroke.there = performance.now() - stroke.at
  requestAnimationFrame(() => {
    const channel = new MessageChannel()
    channel.port1.onmessage = () => { stroke.painted = performance.now() - stroke.at }
    channel.port2.postMessage(null)
  })
}).observe(document.querySelector('#results'), { childList: true })`

type Stroke = { there: number; painted: number }

async function keyStrokes(sites: ReadonlyMap<string, Site>, runs: number) {
  const tabs = new Map<string, Page>()
  for (const [name, site] of sites) {
    const tab = await openTab(site)
    await tab.goto(`${site.origin}/?library=${site.library}`)
    await tab.evaluate(strokes)
    tabs.set(name, tab)
  }
  const all = await inTurn([...tabs.keys()], runs * typed.length, (name, i) =>
    typing(tabs.get(name)!, sites.get(name)!, typed[i % typed.length]!),
  )
  for (const tab of tabs.values()) await tab.context().close()
  return Object.fromEntries(
    Object.entries(all).map(([name, texts]) => {
      const each = texts.flatMap((text) => text.strokes)
      const [tab, server] = [(it: Typing) => it.cpuOfTab, (it: Typing) => it.cpuOfServer].map(
        (of) => round(texts.reduce((sum, text) => sum + of(text), 0) / each.length),
      )
      return [
        name,
        {
          strokes: each.length,
          there: spread(each.map(({ there }) => there)),
          painted: spread(each.map(({ painted }) => painted)),
          cpuOfTab: tab,
          cpuOfServer: server,
        },
      ]
    }),
  )
}

type Typing = { strokes: Stroke[]; cpuOfTab: number; cpuOfServer: number }

async function typing(tab: Page, site: Site, text: string): Promise<Typing> {
  await tab.locator('#q').fill('')
  await tab.evaluate(until('document.querySelector("#results .welcome")'))
  await tab.evaluate('strokes.length = 0')
  const computed = await watchThread(tab)
  const [before, servedBefore] = [await computed(), serverMs(site)]
  for (const [i, key] of [...text].entries()) {
    await tab.keyboard.type(key)
    await tab.evaluate(until(`strokes.at(${i})?.painted`))
  }
  return {
    strokes: (await tab.evaluate('strokes')) as Stroke[],
    cpuOfTab: (await computed()).all - before.all,
    cpuOfServer: serverMs(site) - servedBefore,
  }
}

function loadings(all: readonly (Loading & { cpuOfServer?: number })[]) {
  const names = ['answered', 'styled', 'firstPaint', 'shown', 'largestPaint', 'loaded'] as const
  const figures = names.map((name) => [name, spread(all.map((it) => it[name]))] as const)
  const inOrder = all.map(({ cpuOfTab }) => cpuOfTab).sort((a, b) => a.all - b.all)
  const served = all.reduce((sum, it) => sum + (it.cpuOfServer ?? 0), 0)
  return {
    ...Object.fromEntries(figures),
    layoutShift: Math.max(...all.map((it) => it.shift)),
    cpuOfTab: inOrder[Math.floor(inOrder.length / 2)],
    cpuOfServer: round(served / all.length),
  }
}
