/**
 * The page for people in Chromium, by the browser's own entries (paint, largest-contentful-paint,
 * longtask, layout-shift, resource): `npm run bench -- page`; JSON on stdout, milliseconds.
 *
 * dist/og serves a copy of that library which `npm run eval` has indexed whose size is nearest to
 * 10,000 chunks (MongoDB's manual) and one page of 200 kB made of FastAPI's documentation.
 * `scripts/pictures.ts` says where Chromium is looked for.
 */
import {
  cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'

type Benched = { og: string; evalStore: string; docs: string; work: string; runs: number }

/** What people type, a key after the other. */
const typed = [
  'create an index', 'aggregation pipeline $lookup', 'replica set election', 'shard key',
  'transactions', 'connection string options', 'change streams resume', 'backup mongodump',
]

export async function benchPage({ og, evalStore, docs, work, runs }: Benched) {
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const store = join(work, 'store')
  const library = nearestOf(evalStore, store)
  const env = { HOME: work, PATH: process.env.PATH, OG_DB_PATH: store }
  const folder = longPage(docs, work)
  const added = Bun.spawnSync([
    og, 'add', 'long', '-v', '1', '-s', folder, '--base-url', 'https://docs.example',
  ], { env, cwd: work })
  if (added.exitCode !== 0) throw new Error(`og add: ${added.stderr.toString()}`)
  const server = Bun.spawn([og, 'serve', '--port', '0'], { env, cwd: work, stdout: 'pipe' })
  const { value } = await server.stdout.getReader().read()
  const { origin } = new URL(new TextDecoder().decode(value).trim())
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: [...browserArgs] })
  const { pid } = server
  const site = { browser, origin, pid, library: library.name, runs }
  try {
    return {
      chunks: library.chunks,
      // What opens the store and unpacks the natives.
      firstOfAll: await fresh(site, (page) => load(page, `${origin}/?q=index`)),
      emptyPage: await emptyPages(site),
      firstPaintOfSearch: await searches(site),
      searchInOpenTab: await searchesInOneTab(site),
      keyStrokeToHits: await keyStrokes(site),
      pageOf200kB: await reading(site),
    }
  } finally {
    await browser.close()
    server.kill()
    await server.exited
    rmSync(work, { recursive: true })
  }
}

const browserArgs = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
  '--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage',
] as const

/** A store with the library nearest to 10,000 chunks; to the other one nothing is written. */
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

/** Pages with much code, one behind the other. */
function longPage(docs: string, work: string): string {
  const names = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('release-notes')).sort()
  const all = names.map((name) => readFileSync(join(docs, name), 'utf8')).join('\n\n')
  const folder = join(work, 'long')
  mkdirSync(folder)
  writeFileSync(join(folder, 'long.md'), all.slice(0, 200_000))
  return folder
}

type Site = { browser: Browser; origin: string; pid: number; library: string; runs: number }

/** Entries are collected from the start of each document. */
const collector = `window.seen = { shift: 0, long: [], lcp: 0 }
const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take))
  .observe({ type, buffered: true })
watch('layout-shift', (it) => { if (!it.hadRecentInput) seen.shift += it.value })
watch('longtask', (it) => seen.long.push(Math.round(it.duration)))
watch('largest-contentful-paint', (it) => { seen.lcp = it.startTime })`

/** The page lets no text become code, so Playwright's own wait does not do. */
function until(condition: string): string {
  return `new Promise((done) => {
    const look = () => (${condition}) ? done() : setTimeout(look, 5)
    look()
  })`
}

type Loading = {
  answered: number
  firstPaint: number
  largestPaint: number
  loaded: number
  shift: number
  longTasks: number
  cpuOfTab: Computed
}

async function load(page: Page, address: string): Promise<Loading> {
  const computed = await watchThread(page)
  const before = await computed()
  const answer = await page.goto(address, { waitUntil: 'load' })
  if (!answer?.ok()) throw new Error(`${address}: ${answer?.status()}`)
  // The paint entries follow the frame in which they were made.
  await page.evaluate(until('seen.lcp > 0'))
  const loading = await page.evaluate(`(() => {
    const [it] = performance.getEntriesByType('navigation')
    const [paint] = performance.getEntriesByName('first-contentful-paint')
    return { answered: it.responseEnd, firstPaint: paint.startTime, largestPaint: seen.lcp,
      loaded: it.loadEventEnd, shift: seen.shift, longTasks: seen.long.reduce((a, b) => a + b, 0) }
  })()`) as Omit<Loading, 'cpuOfTab'>
  return { ...loading, cpuOfTab: each(before, await computed(), 1) }
}

/** A context of its own for each: no style sheet is kept from the one before. */
async function fresh<T>({ browser }: Site, use: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  await page.addInitScript(collector)
  try {
    return await use(page)
  } finally {
    await context.close()
  }
}

async function searches(site: Site) {
  const found: Loading[] = []
  const count = site.runs * typed.length
  const before = serverMs(site)
  for (let i = 0; i < count; i++) {
    const asked = new URLSearchParams({ q: typed[i % typed.length]!, library: site.library })
    found.push(await fresh(site, (page) => load(page, `${site.origin}/?${asked}`)))
  }
  return { ...loadings(found), cpuOfServer: round((serverMs(site) - before) / count) }
}

/** What the browser alone takes for a new tab, beside which the others are to be seen. */
async function emptyPages(site: Site) {
  const html = '<!doctype html><meta charset=utf-8><title>empty</title><p>nothing'
  const headers = { 'content-type': 'text/html' }
  using server = Bun.serve({ port: 0, fetch: () => new Response(html, { headers }) })
  const all: Loading[] = []
  for (let i = 0; i < site.runs * typed.length; i++) {
    all.push(await fresh(site, (page) => load(page, server.url.href)))
  }
  return loadings(all)
}

/** A search after a search, as of who sends the form without JavaScript. */
async function searchesInOneTab(site: Site) {
  return loadings(await fresh(site, async (page) => {
    const all: Loading[] = []
    for (let i = 0; i <= site.runs * typed.length; i++) {
      const asked = new URLSearchParams({ q: typed[i % typed.length]!, library: site.library })
      all.push(await load(page, `${site.origin}/?${asked}`))
    }
    // The first one is what searches() measures.
    return all.slice(1)
  }))
}

/** From the event of a key until the hits stand in the document, and until they are painted. */
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

async function keyStrokes(site: Site) {
  return await fresh(site, async (page) => {
    await page.goto(`${site.origin}/?library=${site.library}`)
    await page.evaluate(strokes)
    const computed = await watchThread(page)
    const all: Stroke[] = []
    const before = await computed()
    const servedBefore = serverMs(site)
    for (let run = 0; run < site.runs; run++) {
      for (const text of typed) {
        await page.locator('#q').fill('')
        await page.evaluate(until('document.querySelector("#results .welcome")'))
        await page.evaluate('strokes.length = 0')
        for (const [i, key] of [...text].entries()) {
          await page.keyboard.type(key)
          await page.evaluate(until(`strokes.at(${i})?.painted`))
        }
        all.push(...await page.evaluate('strokes') as Stroke[])
      }
    }
    const cpuOfTab = each(before, await computed(), all.length)
    const seen = await page.evaluate('seen') as { shift: number; long: number[] }
    return {
      strokes: all.length,
      there: spread(all.map(({ there }) => there)),
      painted: spread(all.map(({ painted }) => painted)),
      cpuOfTab,
      cpuOfServer: round((serverMs(site) - servedBefore) / all.length),
      longTasks: seen.long.length,
    }
  })
}

/**
 * What the main thread of a tab has computed so far, by kinds of work; CPU time does not depend on
 * what else the machine does.
 */
async function watchThread(page: Page): Promise<() => Promise<Computed>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    const ms = (wanted: string) => 1_000 * metrics.find(({ name }) => name === wanted)!.value
    return {
      all: ms('TaskDuration'), layout: ms('LayoutDuration'), style: ms('RecalcStyleDuration'),
      script: ms('ScriptDuration'),
    }
  }
}

type Computed = { all: number; layout: number; style: number; script: number }

function each(before: Computed, after: Computed, count: number): Computed {
  const names = ['all', 'layout', 'style', 'script'] as const
  return Object.fromEntries(names.map((name) =>
    [name, round((after[name] - before[name]) / count)])) as Computed
}

async function reading(site: Site) {
  const url = 'https://docs.example/long.md'
  const asked = new URLSearchParams({ library: 'long', version: '1', url })
  const address = `${site.origin}/read?${asked}`
  // Who reads comes from a search, which has started what shows pages.
  await fresh(site, (page) => load(page, `${site.origin}/?q=index`))
  const first = await fresh(site, (page) => load(page, address))
  const again: Loading[] = []
  const before = serverMs(site)
  for (let i = 0; i < site.runs * 2; i++) {
    again.push(await fresh(site, (page) => load(page, address)))
  }
  const cpuOfServer = round((serverMs(site) - before) / again.length)
  return { first: loadings([first]), again: { ...loadings(again), cpuOfServer } }
}

/** CPU time so far of the server and of the processes that it started, in Linux' ticks of 10 ms. */
function serverMs({ pid }: Site): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1')
  const ours = `${pid} ${children}`.trim().split(' ')
    .filter((name) => existsSync(`/proc/${name}/stat`))
    .map((name) => readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)!.split(' '))
  return ours.reduce((sum, of) => sum + 10 * (Number(of[11]) + Number(of[12])), 0)
}

function loadings(found: readonly Loading[]) {
  const names = ['answered', 'firstPaint', 'largestPaint', 'loaded', 'longTasks'] as const
  const figures = names.map((name) => [name, spread(found.map((it) => it[name]))] as const)
  const least = found.map(({ cpuOfTab }) => cpuOfTab).sort((a, b) => a.all - b.all)
  return {
    ...Object.fromEntries(figures),
    layoutShift: Math.max(...found.map((it) => it.shift)),
    cpuOfTab: least[Math.floor(least.length / 2)],
  }
}

function spread(values: readonly number[]) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => round(sorted[Math.min(sorted.length - 1,
    Math.floor(share * sorted.length))]!)
  return { median: at(0.5), p95: at(0.95), least: at(0) }
}

function round(ms: number): number {
  return Math.round(10 * ms) / 10
}
