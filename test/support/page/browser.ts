import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'bun:test'
import type { AxeResults } from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { openWebSite } from '../../../src/web/site.ts'
import { serveOverHttp } from '../../../src/mcp/http/http.ts'
import { openSite } from '../../../src/mcp/http/site.ts'
import { openMcpHome, type McpHome } from '../mcp.ts'
import type { Ingest, SiteMemory } from '../../../src/web/visit.ts'

/** The first has no windows, and needs less than half of the CPU time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const places = names.map((name) => `/usr/bin/${name}`)
const executablePath = [process.env.CHROMIUM ?? '', ...places].find((path) => existsSync(path))

/** The reason why no browser is available for the tests, or null if there is one. */
export const browserLack =
  executablePath === undefined
    ? 'no Chromium at /usr/bin/chromium; CHROMIUM may name another'
    : null

/** The web page over real HTTP, and a browser that shows it. */
export type Browsed = AsyncDisposable & {
  home: McpHome
  url: string
  /** Opens a tab that records its console, except for expected messages. */
  tab(options?: BrowserContextOptions): Promise<Tab>
}

export type Tab = { page: Page; said: string[] }

// Without these options, Chromium connects to hosts of its vendor.
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
]

type Browsing = {
  token?: string | null
  ingest?: Ingest | null
  memory?: SiteMemory | null
  /** Each search waits for it, as for indexes that have to be opened. */
  beforeSearch?: () => Promise<void>
}

export async function openBrowsed({
  token = null,
  ingest = null,
  memory = null,
  beforeSearch = async () => {},
}: Browsing = {}) {
  const home = await openMcpHome()
  const { og } = home
  const slowOg: typeof og = {
    ...og,
    async search(request) {
      await beforeSearch()
      return og.search(request)
    },
  }
  const knownSources = async () => []
  const page = openWebSite({ og: slowOg, limit: 8, knownSources, ingest, memory }, token)
  const place = { hostname: '127.0.0.1', port: 0, allowedHosts: [], warn() {} }
  const server = serveOverHttp(openSite(home.face(), token, { page }), place)
  const browser = await chromium.launch({ executablePath, args })
  const browsed: Browsed = {
    home,
    url: new URL('/', server.url).href,
    tab: (options = {}) => openTab(browser, { baseURL: server.url, ...options }),
    async [Symbol.asyncDispose]() {
      await browser.close()
      await server.close()
      await home[Symbol.asyncDispose]()
    },
  }
  return browsed
}

/** Closes a tab, after checking that its console is empty. */
export async function quiet({ page, said }: Tab): Promise<void> {
  expect(said).toEqual([])
  await page.context().close()
}

async function openTab(browser: Browser, options: BrowserContextOptions): Promise<Tab> {
  const page = await (await browser.newContext(options)).newPage()
  const said: string[] = []
  page.on('console', (message) => {
    // Chromium logs the status of the page itself, which is expected.
    const isStatus = / responded with a status of 4\d\d /.test(message.text())
    if (!isStatus || message.location().url !== page.url()) said.push(message.text())
  })
  page.on('pageerror', ({ message }) => void said.push(message))
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL('/', options.baseURL).href)) said.push(request.url())
  })
  page.on('dialog', (dialog) => {
    said.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return { page, said }
}

/**
 * Returns short descriptions of the violations that axe-core finds. The check runs outside the
 * page, because the page's policy blocks scripts.
 */
export async function violations(page: Page): Promise<string[]> {
  // Parsing axe takes longer than a run.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${axeSource()}; null`)
  const found = (await page.evaluate('axe.run()')) as AxeResults
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}

const axeSource = () =>
  readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8')

/** Returns whether any element is wider than the window. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > innerWidth')
}

/** Folder with the pictures of the documentation. */
export const picturesFolder = join(import.meta.dir, '../../../docs/pictures')
