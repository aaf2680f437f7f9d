/** Tests the memory views of the web page in a real browser. */
import { afterAll, beforeAll, expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  browserLack,
  isTooWide,
  openBrowsed,
  quiet,
  violations,
  type Browsed,
} from '../../support/page/browser.ts'
import { openShownHome, type ShownHome } from '../../support/page/memory.ts'
import { testWhere } from '../../support/where.ts'

const test = testWhere(browserLack)
let memory: ShownHome
let site: Browsed

beforeAll(async () => {
  if (browserLack !== null) return
  memory = await openShownHome({ workspaces: ['default', 'work'] })
  site = await openBrowsed({ memory: memory.shown })
  memory.put(
    'MEMORY.md',
    '# Memory\n\n## 2026-01-05 10:00\n\n#ops\nDeploys go out on Tuesdays.\n\n' +
      '## 2026-01-06 10:00\n\nThe **boiler** is in room 4; a-very-long-name-'.concat(
        'x'.repeat(120),
        '\n',
      ),
  )
  memory.put('daily/2026-01-05.md', '# Daily Log - 2026-01-05\n\n## 10:00\n\nThe mast fell.\n')
  memory.put('AGENTS.md', '# Agents\n\n## Key\n\npassword: hunter2hunter2\n')
  memory.put(
    'RELATIONS.md',
    '# Relations\n\n- [Ann] --works at--> [Acme]\n- [Acme] --is in--> [Bern]\n',
  )
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await memory?.[Symbol.asyncDispose]()
})

const text = (name: string) => readFileSync(memory.home.file(name), 'utf8')

test('writes, corrects, deletes and restores an entry with the mouse', async () => {
  const tab = await site.tab()
  const { page } = tab
  await page.goto('/')
  await page.locator('nav a', { hasText: 'Memory' }).click()
  await page.locator('summary', { hasText: 'Write' }).click()
  await page.locator('[name=content]').fill('Releases are cut\non Mondays.')
  await page.locator('button', { hasText: 'Write' }).click()
  await page.locator('.done', { hasText: 'Added to MEMORY.md: Releases are cut' }).waitFor()
  await page.locator('.entry h2 a').first().click()
  await page.locator('summary', { hasText: 'Correct' }).click()
  expect(await page.locator('[name=content]').inputValue()).toBe('Releases are cut\non Mondays.')
  await page.locator('[name=content]').fill('Releases are cut on Fridays.')
  await page.locator('button', { hasText: 'Correct' }).click()
  await page.locator('.done').waitFor()
  await page.locator('.entry', { hasText: 'Mondays' }).locator('h2 a').click()
  await page.locator('button', { hasText: 'Delete' }).click()
  await page.locator('.done', { hasText: 'Deleted' }).waitFor()
  expect(text('MEMORY.md')).not.toContain('Mondays')
  await page.locator('.done button', { hasText: 'Undo' }).click()
  await page.locator('.done', { hasText: 'Undone' }).waitFor()
  expect(text('MEMORY.md')).toContain('Mondays')
  await quiet(tab)
})

test('searches, reads, relates and repairs by keyboard without JavaScript', async () => {
  const tab = await site.tab({ javaScriptEnabled: false })
  const { page } = tab
  await page.goto('/memory')
  await page.locator('#find').focus()
  await page.keyboard.type('mast')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/memory\/search\?/)
  await page.locator('.entry h2 a').focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/memory\/entry\?/)
  expect(await page.locator('article.entry').innerText()).toContain('The mast fell.')
  await page.locator('.parts a', { hasText: 'Relations' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('summary', { hasText: 'Relate' }).focus()
  await page.keyboard.press('Enter')
  for (const word of ['Bob', 'works at', 'Acme']) {
    await page.keyboard.press('Tab')
    await page.keyboard.type(word)
  }
  await page.keyboard.press('Enter')
  await page.locator('.done', { hasText: 'Recorded in' }).waitFor()
  expect(await page.locator('.graph a').count()).toBe(4)
  await page.locator('.graph a', { hasText: 'Bob' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/entity=Bob/)
  expect(await page.locator('.graph a').count()).toBe(2)
  await page.locator('.parts a', { hasText: 'Audit' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('button', { hasText: 'Fix' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('.done', { hasText: 'Fixed in AGENTS.md' }).waitFor()
  expect(text('AGENTS.md')).toContain('password: [removed]')
  await quiet(tab)
})

test('makes a backup and restores it', async () => {
  const tab = await site.tab()
  const { page } = tab
  await page.goto('/memory/backups')
  await page.locator('button', { hasText: 'Back up now' }).click()
  await page.locator('.pages a', { hasText: 'Restore' }).click()
  await page.locator('button', { hasText: 'Restore' }).click()
  await page.locator('.done', { hasText: 'Restored.' }).waitFor()
  await quiet(tab)
})

test('is never wider than the window, and is accessible in light and dark mode', async () => {
  const tab = await site.tab()
  const { page } = tab
  await page.goto('/memory')
  const entry = await page.locator('.entry h2 a').first().getAttribute('href')
  const views = [
    '/memory',
    '/memory?file=daily/2026-01-05.md',
    entry!,
    '/memory/search?q=boiler',
    '/memory/relations?past=yes',
    '/memory/history',
    '/memory/audit',
    '/memory/backups',
    '/memory?workspace=work',
  ]
  for (const path of views) {
    await page.goto(path)
    await page.evaluate('for (const it of document.querySelectorAll("details")) it.open = true')
    for (const [width, colorScheme] of [
      [360, 'dark'],
      [800, null],
      [1600, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 })
      expect([path, width, await isTooWide(page)]).toEqual([path, width, false])
      if (colorScheme === null) continue
      await page.emulateMedia({ colorScheme })
      expect([path, width, ...(await violations(page))]).toEqual([path, width])
    }
  }
  await quiet(tab)
})

test('shows the whole history on a phone', async () => {
  const tab = await site.tab()
  await tab.page.setViewportSize({ width: 390, height: 800 })
  await tab.page.goto('/memory/history')
  const isCut =
    '[...document.querySelectorAll(".wide")].some((it) => it.scrollWidth > it.clientWidth)'
  await tab.page.locator('.wide td').first().waitFor()
  expect(await tab.page.evaluate(isCut)).toBe(false)
  await quiet(tab)
})
