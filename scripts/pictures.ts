/**
 * Takes the screenshots for docs/pictures: `node scripts/setup.mjs scripts/pictures.ts [NAME…]`.
 * For the views of the web page, dist/og serves this repository's own documents. For `terminal` it
 * indexes FastAPI from its repository; GIT_CONFIG_GLOBAL may name a file that leads git to a copy.
 * CHROMIUM names the browser if it is not /usr/bin/chromium.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { runOnTerminal, terminalPage } from './terminal-picture.ts'

const root = join(import.meta.dir, '..')
const pictures = join(root, 'docs', 'pictures')
const og = join(root, 'dist', 'og')

type View = { name: string; path: string; width?: number; dark?: true }

const reading = new URLSearchParams({
  library: 'og',
  version: '0.1',
  url: 'https://docs.example/guide/sources-and-versions.md',
})
const views: readonly View[] = [
  { name: 'search', path: '/?q=go+back+to+an+earlier+state' },
  { name: 'search-dark', path: '/?q=go+back+to+an+earlier+state', dark: true },
  { name: 'phone', path: '/?q=token+of+the+server', width: 390 },
  { name: 'reading', path: `/read?${reading}`, width: 1280 },
  { name: 'libraries', path: '/libraries' },
  { name: 'chunks', path: `/chunks?${reading}`, dark: true },
  { name: 'memory', path: '/memory' },
  { name: 'relations', path: '/memory/relations', dark: true },
]

const remembered: readonly string[][] = [
  ['write', 'The release notes are written by hand, from the commits.', '--tag', 'release'],
  ['write', 'Ann decides about the **storage format**; ask her before it changes.'],
  ['write', 'Deploys go out on Tuesdays: `make deploy`.', '--tag', 'ops', '--tag', 'deploy'],
  ['write', 'The nightly build was red: the clock of the runner was wrong.', '--file', 'daily'],
  ['relate', 'Ann', 'works at', 'Acme', '--since', '2025-01-01'],
  ['relate', 'Bob', 'works at', 'Acme'],
  ['relate', 'Bob', 'reports to', 'Ann'],
  ['relate', 'billing', 'depends on', 'ledger'],
  ['relate', 'billing', 'is owned by', 'Bob'],
  ['relate', 'ledger', 'stores in', 'PostgreSQL'],
  ['relate', 'ledger', 'is owned by', 'Ann'],
]

const question = 'og query "how do I run work after the response is sent" -l fastapi -k 1'

async function main(): Promise<void> {
  const names = process.argv.slice(2)
  const isWanted = (name: string) => names.length === 0 || names.includes(name)
  const home = mkdtempSync(join(tmpdir(), 'og-pictures-'))
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  await mkdir(pictures, { recursive: true })
  if (isWanted('terminal')) await takeTerminal(browser, home)
  const wanted = views.filter(({ name }) => isWanted(name))
  if (wanted.length > 0) await takeViews(browser, home, wanted)
  await browser.close()
  rmSync(home, { recursive: true })
}

async function takeTerminal(browser: Browser, home: string): Promise<void> {
  const { PATH = '', GIT_CONFIG_GLOBAL = '/dev/null' } = process.env
  const env = { HOME: home, PATH: `${join(og, '..')}:${PATH}`, GIT_CONFIG_GLOBAL }
  const added = Bun.spawnSync([og, 'add', 'fastapi', '-v', '0.115'], { env, cwd: home })
  if (added.exitCode !== 0) throw new Error(`Cannot index FastAPI: ${added.stderr.toString()}`)
  const printed = runOnTerminal(question, { ...env, PAGER: 'cat' }, home)
  const page = await browser.newPage({ viewport: { width: 900, height: 200 } })
  await page.setContent(terminalPage(printed, 30))
  await page.screenshot({ path: join(pictures, 'terminal.png'), fullPage: true })
  await page.close()
}

async function takeViews(browser: Browser, home: string, wanted: readonly View[]): Promise<void> {
  const env = { HOME: home, PATH: process.env.PATH ?? '', OG_SOURCES__AUTO_ADD_LOCAL: 'false' }
  // Indexes a copy, because the pictures show the folder's path.
  cpSync(join(root, 'docs'), join(home, 'docs'), { recursive: true })
  const source = ['-s', join(home, 'docs'), '--base-url', 'https://docs.example']
  const added = Bun.spawnSync([og, 'add', 'og', '-v', '0.1', ...source], { env, cwd: home })
  if (added.exitCode !== 0) throw new Error(`Cannot index docs: ${added.stderr.toString()}`)
  for (const words of remembered) {
    const told = Bun.spawnSync([og, 'memory', ...words], { env, cwd: home })
    if (told.exitCode !== 0) throw new Error(`Cannot remember: ${told.stderr.toString()}`)
  }
  const serve = [og, 'serve', '--memory', '--port', '0']
  const server = Bun.spawn(serve, { env, cwd: home, stdout: 'pipe' })
  const { value } = await server.stdout.getReader().read()
  const { origin } = new URL(new TextDecoder().decode(value).trim())
  for (const view of wanted) await takePicture(browser, origin, view)
  server.kill()
  await server.exited
}

async function takePicture(browser: Browser, origin: string, view: View): Promise<void> {
  const { name, path, width = 1100, dark } = view
  const viewport = { width, height: 760 }
  const page = await browser.newPage({ viewport, colorScheme: dark ? 'dark' : 'light' })
  // Loads the page twice, because the first search is slow: it opens the store and the model.
  for (const _ of ['warm', 'shown']) await page.goto(`${origin}${path}`)
  await page.screenshot({ path: join(pictures, `${name}.png`) })
  await page.close()
}

await main()
