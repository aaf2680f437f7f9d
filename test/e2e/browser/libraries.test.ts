/** Changes libraries on the web page in a real browser. */
import { afterAll, beforeAll, expect } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { lockVersion } from '../../../src/library/lock.ts'
import {
  browserLack,
  isTooWide,
  openBrowsed,
  violations,
  type Browsed,
  type Tab,
} from '../../support/page/browser.ts'
import { createWorld, type World } from '../../support/e2e.ts'
import { writeFiles } from '../../support/repository.ts'
import { until } from '../../support/until.ts'
import { testWhere } from '../../support/where.ts'
import type { Ingest } from '../../../src/web/visit.ts'

const test = testWhere(browserLack)
let site: Browsed
let world: World

beforeAll(async () => {
  if (browserLack !== null) return
  world = await createWorld()
  const ingest: Ingest = { self: [world.executable], env: {}, checkSource: async () => {} }
  site = await openBrowsed({ ingest })
  Object.assign(ingest, { env: { ...world.env, ...site.home.env } })
  await site.home.add('house', '1.0', { 'kettle.md': '# Kettle\n\nIt boils.\n' })
  await site.home.add('house', '1.0', {
    'kettle.md': '# Kettle\n\nIt boils.\n',
    'pot.md': '# Pot\n\nStew.\n',
  })
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

async function quiet({ page, said }: Tab): Promise<void> {
  expect(said).toEqual([])
  await page.context().close()
}

async function addByForm({ page }: Tab, library: string, source: string, version = '1.0') {
  await page.locator('summary', { hasText: 'Add a library' }).click()
  await page.locator('.adding [name=library]').fill(library)
  await page.locator('.adding [name=source]').fill(join(site.home.path, source))
  await page.locator('.adding [name=version]').fill(version)
  await page.locator('button', { hasText: /^Add$/ }).click()
}

const pagesOf = async (page: Page, library: string) =>
  (
    await page.locator('.library', { hasText: library }).locator('td:nth-child(5)').innerText()
  ).trim()

test('adds a library, follows the job, updates, measures and removes it with the mouse', async () => {
  writeFiles(site.home.path, { 'more/pan.md': '# Pan\n\nIt fries eggs.\n' })
  const tab = await site.tab()
  const { page } = tab
  await page.goto('/libraries')
  await addByForm(tab, 'pans', 'more', '2.0')
  // The page reloads when the job ends.
  await page.locator('.library', { hasText: 'pans' }).waitFor()
  expect(await pagesOf(page, 'pans')).toBe('1')
  await page
    .locator('.library', { hasText: 'pans' })
    .locator('button', { hasText: 'Update' })
    .click()
  await page
    .locator('.jobs li', { hasText: 'update pans' })
    .locator('.done')
    .waitFor({ state: 'attached' })
  await page
    .locator('.library', { hasText: 'pans' })
    .locator('button', { hasText: 'Measure' })
    .click()
  await page.waitForURL(/\/health-of\?/)
  expect(await page.locator('main').innerText()).toMatch(
    /questions are answered|no text for questions/,
  )
  await page.goto('/libraries')
  await page.locator('.library', { hasText: 'pans' }).locator('a', { hasText: 'Remove' }).click()
  await page.locator('button', { hasText: 'Remove pans 2.0' }).click()
  await page.waitForURL(/\/libraries$/)
  expect(await page.locator('.library', { hasText: 'pans' }).count()).toBe(0)
  await quiet(tab)
})

test('shows a running job after a reload, with a working button', async () => {
  writeFiles(site.home.path, { 'cups/cup.md': '# Cup\n\nIt holds tea.\n' })
  const { dbPath } = await site.home.og.places()
  // These locks keep the jobs waiting.
  using _cups = await lockVersion(dbPath, { library: 'cups', version: '1.0', lockTimeoutMs: 0 })
  using _mugs = await lockVersion(dbPath, { library: 'mugs', version: '1.0', lockTimeoutMs: 0 })
  const job = ({ page }: Tab, library: string) => page.locator('.jobs li', { hasText: library })
  const opened = async () => {
    const tab = await site.tab()
    await tab.page.goto('/libraries')
    return tab
  }
  const add = async (library: string) => {
    const tab = await opened()
    await addByForm(tab, library, 'cups')
    await job(tab, library).locator('button').waitFor()
    return tab
  }
  const byKeys = await add('cups')
  await byKeys.page.reload()
  // The list may be replaced in the meantime, so this focuses the button of the current list.
  await until('its button has the focus', async () => {
    await job(byKeys, 'cups').locator('button').focus()
    return (await job(byKeys, 'cups').locator('button:focus').count()) === 1
  })
  // The page replaces the list when another job is added.
  const mugs = await add('mugs')
  await job(byKeys, 'mugs').waitFor()
  await job(byKeys, 'cups').locator('button:focus').waitFor()
  await byKeys.page.keyboard.press('Enter')
  await job(byKeys, 'cups').locator('.stopped').waitFor()
  const byMouse = await opened()
  await job(byMouse, 'mugs').locator('button').hover()
  await byMouse.page.mouse.down()
  const cups = await add('cups')
  // Waits for a fixed time, because the page does not show when the update arrives.
  await Bun.sleep(1_000)
  await byMouse.page.mouse.up()
  await job(byMouse, 'mugs').locator('.stopped').waitFor()
  // Text typed into a form survives the end of a job.
  const writing = await opened()
  await writing.page.locator('summary', { hasText: 'Add a library' }).click()
  await writing.page.locator('.adding [name=library]').fill('plates')
  await writing.page.locator('h1').click()
  await job(await opened(), 'cups')
    .locator('button')
    .click()
  await until('no job runs', async () => (await writing.page.locator('.jobs button').count()) === 0)
  expect(await writing.page.locator('.adding [name=library]').inputValue()).toBe('plates')
  // The tabs close with the browser: some of them are reloading the page now, and Chromium may wait
  // forever to close them.
  expect([byKeys, mugs, byMouse, cups, writing].flatMap(({ said }) => said)).toEqual([])
})

test('keeps the focus when a job ends', async () => {
  writeFiles(site.home.path, { 'jugs/jug.md': '# Jug\n\nIt holds milk.\n' })
  const { dbPath } = await site.home.og.places()
  const lock = await lockVersion(dbPath, { library: 'jugs', version: '1.0', lockTimeoutMs: 0 })
  const adding = await site.tab()
  await adding.page.goto('/libraries')
  await addByForm(adding, 'jugs', 'jugs')
  const house = ({ page }: Tab) => page.locator('.library', { hasText: 'house' })
  const [link, button, table] = [await site.tab(), await site.tab(), await site.tab()]
  for (const { page } of [link, button, table]) {
    await page.goto('/libraries')
    await page.locator('.jobs li', { hasText: 'jugs' }).locator('button').waitFor()
  }
  await house(link).locator('th a').focus()
  await house(button).locator('button', { hasText: 'Update' }).focus()
  await table.page.locator('.wide').focus()
  lock[Symbol.dispose]()
  for (const tab of [link, button, table])
    await tab.page.locator('.library', { hasText: 'jugs' }).waitFor()
  await house(link).locator('th a:focus').waitFor()
  await house(button).locator('button:focus', { hasText: 'Update' }).waitFor()
  await table.page.locator('.wide:focus').waitFor()
  expect([adding, link, button, table].flatMap(({ said }) => said)).toEqual([])
})

test('shows state and health of each library on a phone', async () => {
  const tab = await site.tab()
  await tab.page.setViewportSize({ width: 390, height: 800 })
  await tab.page.goto('/libraries')
  const row = tab.page.locator('.library', { hasText: 'house' })
  for (const part of [
    row.getByText('as it should be'),
    row.locator('button', { hasText: 'Measure' }),
  ]) {
    const { x, width } = (await part.first().boundingBox())!
    expect(x >= 0 && x + width <= 390).toBe(true)
  }
  await quiet(tab)
})

test('tabs in the background close their connections so that other tabs can load', async () => {
  const tab = await site.tab()
  const context = tab.page.context()
  const show = (page: Page, isHidden: boolean) =>
    page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))`)
  const pages = [tab.page]
  // A browser opens at most six connections to a server for all its tabs.
  for (let nth = 1; nth <= 7; nth++) {
    const page = pages.at(-1)!
    await page.goto('/libraries', { timeout: 20_000 })
    await page.locator('h1').waitFor()
    await show(page, true)
    pages.push(await context.newPage())
  }
  const first = tab.page.waitForRequest(/jobs\/events$/)
  await show(tab.page, false)
  await first
  await quiet(tab)
})

test('rolls back, rolls forward and reports a failed add by keyboard without JavaScript', async () => {
  const tab = await site.tab({ javaScriptEnabled: false })
  const { page } = tab
  await page.goto('/libraries')
  expect(await pagesOf(page, 'house')).toBe('2')
  for (const pages of ['1', '2']) {
    await page.locator('.before button', { hasText: 'Roll back' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForLoadState()
    await page.locator('.library', { hasText: 'house' }).waitFor()
    expect(await pagesOf(page, 'house')).toBe(pages)
  }
  await page.locator('summary', { hasText: 'Add a library' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.type('no-such-library')
  await page.keyboard.press('Enter')
  await page.locator('.jobs li', { hasText: 'no-such-library' }).waitFor()
  await until('it has failed, which is told to who loads the page again', async () => {
    await page.goto('/libraries')
    return (await page.locator('.jobs .failed').count()) > 0
  })
  await quiet(tab)
})

test('is never wider than the window, and is accessible in light and dark mode', async () => {
  const tab = await site.tab()
  const { page } = tab
  for (const path of [
    '/libraries',
    '/health-of?library=house&version=1.0',
    '/libraries/remove?library=house&version=1.0',
  ]) {
    await page.goto(path)
    await page.evaluate('for (const it of document.querySelectorAll("details")) it.open = true')
    for (const [width, colorScheme] of [
      [360, 'dark'],
      [1600, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      expect([path, width, await isTooWide(page)]).toEqual([path, width, false])
      await page.emulateMedia({ colorScheme })
      expect([path, width, ...(await violations(page))]).toEqual([path, width])
    }
  }
  await quiet(tab)
})
