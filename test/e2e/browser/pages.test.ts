/** Tests the web page in a real browser. */
import { afterAll, beforeAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  browserLack,
  isTooWide,
  openBrowsed,
  quiet,
  violations,
  type Browsed,
} from '../../support/page/browser.ts'
import { until } from '../../support/until.ts'
import { testWhere } from '../../support/where.ts'

const test = testWhere(browserLack)
let site: Browsed
let locked: Browsed
/** Each search waits for it. */
let searching = Promise.resolve()
const token = 'a-token-of-some-length'

beforeAll(async () => {
  if (browserLack !== null) return
  site = await openBrowsed({ beforeSearch: () => searching })
  locked = await openBrowsed({ token })
  const pages = Array.from({ length: 30 }, (_, i) => [
    `rooms/room${i}.md`,
    `# Room ${i}\n\nThe boiler of room ${i} is lit.\n\n- one\n- two\n`,
  ])
  const long = Array.from(
    { length: 40 },
    (_, i) => `Line ${i} says how water is filled in, and nothing of what follows it.`,
  ).join('\n\n')
  await site.home.add('house', '1.0', {
    ...Object.fromEntries(pages),
    'kettle.md':
      `# Kettle\n\n${long}\n\n## Boiling\n\nA whistle blows; see [room 1](rooms/room1.md).\n\n` +
      '```python\ndef whistle() -> None:\n    return None\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n',
  })
  const tabs = (one: string, other: string) =>
    `<Tabs>\n<TabItem label="npm">\n\n## ${one} here\n\n\`${one}\`\n\n</TabItem>\n` +
    `<TabItem label="yarn">\n\n## ${other} there\n\n\`${other}\`\n\n</TabItem>\n</Tabs>\n\n`
  const install = `# Install\n\n${tabs('npm i', 'yarn add')}Then start it.\n\n${tabs('npm run', 'yarn run')}`
  for (const version of ['1.0', '2.0']) await site.home.add('shed', version, { 'in.mdx': install })
  await site.home.add('yard', '1.0', {
    'long.md': `# Long\n\n## Filling\n\n${long}\n\n## Boiling\n\n${long}\n`,
  })
  await site.home.add('garden', '2.0', { 'rose.md': '# Rose\n\nIt is red, and no kettle.\n' })
})
afterAll(async () => {
  await site?.[Symbol.asyncDispose]()
  await locked?.[Symbol.asyncDispose]()
})

/**
 * Waits for the cursor, because the console reports an error for text typed before the browser has
 * set it.
 */
async function openSearch(page: Page): Promise<void> {
  await page.goto('/')
  await page.locator('#q:focus').waitFor()
}

/** Waits for the hits that appear while typing, and then for the full answer. */
async function typed(page: Page, text: string): Promise<void> {
  await page.locator('#q').pressSequentially(text)
  await page.locator(`#results[data-asked="${text}"]`).waitFor()
}

const long = new URLSearchParams({ library: 'yard', version: '1.0', url: 'doc:/long.md' })
const names = (page: Page) => page.locator('.hit h2').allTextContents()
const focused = (page: Page) =>
  page.evaluate('document.activeElement.textContent || document.activeElement.id')

test('searches while typing, selects a hit, reads it and returns by keyboard', async () => {
  const tab = await site.tab()
  const { page } = tab
  await openSearch(page)
  await typed(page, 'whistle')
  expect(await names(page)).toEqual(['Boiling'])
  expect(page.url()).toBe(`${site.url}?q=whistle`)
  expect(await page.locator('#said').textContent()).toMatch(/^1 hit(?!.* ms)/)
  expect(await focused(page)).toBe('q')
  // Sends a key of an input method, where arrow keys choose a spelling.
  await page.evaluate(`document.querySelector('#q').dispatchEvent(new KeyboardEvent('keydown',
    { key: 'ArrowDown', isComposing: true, bubbles: true }))`)
  expect(await focused(page)).toBe('q')
  await page.keyboard.press('ArrowDown')
  expect(await focused(page)).toBe('Boiling')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  expect(await focused(page)).toBe('q')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  expect(await focused(page)).toBe('q')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/read\?/)
  const here = page.locator('#here')
  expect(await here.innerText()).toContain('A whistle blows')
  expect(await page.evaluate('scrollY > 0 && here.getBoundingClientRect().top < innerHeight')).toBe(
    true,
  )
  await page.goBack()
  await page.waitForURL(/\?q=whistle$/)
  expect(await names(page)).toEqual(['Boiling'])
  await quiet(tab)
})

test('returns from a page to the same hit, by keyboard and by mouse', async () => {
  const tab = await site.tab()
  const { page } = tab
  await page.goto('/?q=boiler&library=house')
  const left = (await names(page))[2]!
  for (const leave of [
    () => page.keyboard.press('Enter'),
    () => page.locator('.hit', { hasText: left }).locator('.place').click(),
  ]) {
    await page.locator('.hit h2 a', { hasText: left }).focus()
    await leave()
    await page.waitForURL(/\/read\?/)
    await page.goBack()
    await page.waitForURL(/\?q=boiler/)
    await until('the hit has the focus', async () => (await focused(page)) === left)
  }
  await page.keyboard.press('ArrowUp')
  expect(await focused(page)).toBe((await names(page))[1]!)
  await page.reload()
  expect(await focused(page)).toBe('q')
  await quiet(tab)
})

test('shows full-text hits until vector hits arrive, even if both are slow', async () => {
  const tab = await site.tab()
  const { page } = tab
  await openSearch(page)
  const [asked, shown] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/hits?*', async (route) => {
    const isByWords = route.request().url().includes('by=words')
    if (!isByWords) asked.resolve()
    await (isByWords ? asked : shown).promise
    await route.continue()
  })
  await page.locator('#q').fill('whistle')
  await page.locator('#results:not([data-asked="whistle"]) .hit').waitFor()
  shown.resolve()
  await page.locator('#results[data-asked="whistle"] .hit').waitFor()
  await quiet(tab)
})

test('says that it is searching until a slow search answers, with and without typing', async () => {
  const tab = await site.tab()
  const { page } = tab
  const opened = Promise.withResolvers<void>()
  searching = opened.promise
  const says = () =>
    page.evaluate('getComputedStyle(document.querySelector("#results"), "::before").content')
  try {
    await openSearch(page)
    await page.locator('#q').fill('whistle')
    await page.locator('#results.slow').waitFor()
    expect(await says()).toBe('"Searching …"')
    expect(await page.locator('#said').textContent()).toBe('Searching')
    const loaded = page.goto('/?q=whistle', { waitUntil: 'commit' })
    await page.locator('.searching', { hasText: 'Searching …' }).waitFor()
    opened.resolve()
    await loaded
    await page.locator('.hit').waitFor()
    expect(await page.locator('.searching').isVisible()).toBe(false)
    expect(await says()).toBe('none')
  } finally {
    opened.resolve()
    searching = Promise.resolve()
  }
  await quiet(tab)
})

test('marks the section being read, links to each heading, and closes the outline in a small window', async () => {
  const tab = await site.tab()
  const { page } = tab
  await page.goto(`/read?${long}`)
  expect(await page.locator('.outline a').allTextContents()).toEqual(['Filling', 'Boiling'])
  const marked = () => page.locator('.outline [aria-current]').allTextContents()
  await page.locator('.outline a', { hasText: 'Boiling' }).click()
  await until('the section is marked', async () => (await marked()).join() === 'Boiling')
  await page.locator('h2', { hasText: 'Filling' }).scrollIntoViewIfNeeded()
  await page.locator('h2', { hasText: 'Filling' }).hover()
  await until('the section before is marked', async () => (await marked()).join() === 'Filling')
  await page.locator('h2', { hasText: 'Filling' }).locator('.anchor').click()
  expect(page.url()).toEndWith('#filling')
  expect(await violations(page)).toEqual([])
  expect(await page.locator('.outline a').first().isVisible()).toBe(true)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.reload()
  expect(await page.locator('.outline a').first().isVisible()).toBe(false)
  await quiet(tab)
})

test('selects a library if Tab follows its name, and removes it with Backspace', async () => {
  const tab = await site.tab()
  const { page } = tab
  await openSearch(page)
  await page.locator('#q').pressSequentially('gard')
  await page.keyboard.press('Tab')
  await page.waitForURL(/\?library=garden$/)
  expect([await page.locator('#q').inputValue(), await focused(page)]).toEqual(['', 'q'])
  await typed(page, 'kettle')
  expect(await names(page)).toEqual(['Rose'])
  for (const _ of 'kettle') await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await page.waitForURL(site.url)
  await quiet(tab)
})

test('/ moves to the search field from every page, and ? shows the keys', async () => {
  const tab = await site.tab()
  const { page } = tab
  await page.goto('/?q=whistle')
  await page.locator('.hit h2 a').focus()
  await page.keyboard.press('?')
  expect(await page.locator('#keys').isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  expect(await focused(page)).toBe('q')
  await page.keyboard.type('/?')
  expect(await page.locator('#q').inputValue()).toBe('/?')
  await page.goto('/?q=whistle')
  await page.locator('.hit h2 a').click()
  await page.waitForURL(/\/read\?/)
  // The header of a page has its own search field, which searches the library of the page.
  await page.keyboard.press('/')
  await page.keyboard.type('rose')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/\?library=house&q=rose$/)
  await quiet(tab)
})

test('copies the code of a page', async () => {
  const tab = await site.tab({ permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = tab
  await page.goto('/?q=whistle')
  await page.locator('.hit h2 a').click()
  await page.locator('.code').hover()
  await page.locator('.code button').click()
  await page.locator('button', { hasText: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'def whistle() -> None:\n    return None\n',
  )
  await quiet(tab)
})

test('narrows the hits with chips and filters, and opens a hit with a click anywhere on it', async () => {
  const tab = await site.tab({ permissions: ['clipboard-read', 'clipboard-write'] })
  const { page } = tab
  await page.goto('/?q=kettle')
  await page.locator('.chip', { hasText: 'garden' }).click()
  await page.waitForURL(/library=garden/)
  await until('one hit is left', async () => (await page.locator('.hit').count()) === 1)
  await page.locator('summary', { hasText: 'Why this hit' }).click()
  expect(await page.locator('.why dl').innerText()).toContain('full text: rank 1')
  // The button shows "Copied" for two seconds.
  const isSaid = page.locator('button', { hasText: 'Copied' }).waitFor()
  await page.locator('[data-copy]').click()
  await isSaid
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
    'Source: doc:/rose.md#rose',
  )
  expect(page.url()).toContain('/?')
  await page.locator('.filters summary').click()
  await page.locator('[name=kind]').selectOption('changelog')
  await page.locator('.problem').waitFor()
  await page.locator('[name=kind]').selectOption('')
  await page.locator('.hit .excerpt').click()
  await page.waitForURL(/\/read\?/)
  await quiet(tab)
})

test('works with forms and links without JavaScript', async () => {
  const tab = await site.tab({ javaScriptEnabled: false })
  const { page } = tab
  await openSearch(page)
  await page.locator('#q').fill('kettle')
  await page.locator('.chip', { hasText: 'house' }).click()
  await page.locator('#q').press('Enter')
  await page.waitForURL(/\?q=kettle&library=house/)
  expect((await names(page))[0]).toBe('Kettle')
  expect(await page.locator('[data-copy]').first().isVisible()).toBe(false)
  await page.locator('.hit h2 a').first().click()
  await page.locator('.page a', { hasText: 'room 1' }).click()
  expect(await page.locator('h1').innerText()).toBe('Room 1')
  await quiet(tab)
})

const shed = new URLSearchParams({ library: 'shed', version: '1.0', url: 'doc:/in.mdx' })
const visiblePanels = (page: Page) => page.locator('.tab:visible code').allTextContents()

test('switches tabs of every group by their label, keeps them in the URL, and shows all without JavaScript', async () => {
  const tab = await site.tab()
  const { page } = tab
  await page.goto(`/read?${shed}`)
  expect(await visiblePanels(page)).toEqual(['npm i', 'npm run'])
  expect(await violations(page)).toEqual([])
  await page.locator('[role="tab"]', { hasText: 'npm' }).first().focus()
  await page.keyboard.press('ArrowRight')
  expect(await visiblePanels(page)).toEqual(['yarn add', 'yarn run'])
  expect(await focused(page)).toBe('yarn')
  expect(page.url()).toContain('&tab=yarn')
  await page.reload()
  expect(await visiblePanels(page)).toEqual(['yarn add', 'yarn run'])
  await page.locator('.outline a', { hasText: 'npm run here' }).click()
  expect(await visiblePanels(page)).toEqual(['yarn add', 'npm run'])
  await quiet(tab)
  const plain = await site.tab({ javaScriptEnabled: false })
  await plain.page.goto(`/read?${shed}`)
  expect(await visiblePanels(plain.page)).toHaveLength(4)
  await quiet(plain)
})

test('opens the same page or search in another version from a menu', async () => {
  const tab = await site.tab()
  const { page } = tab
  await page.goto(`/read?${shed}`)
  await page.locator('.menu summary').click()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await page.locator('.menu li').isVisible()).toBe(false)
  await page.locator('.menu summary').click()
  await page.locator('.menu a', { hasText: '2.0' }).first().click()
  await page.waitForURL(/version=2\.0&url=doc/)
  expect(await page.locator('h1').innerText()).toBe('Install')
  await page.goto('/?q=start&library=shed')
  await page.locator('.menu summary').click()
  await page.locator('.menu a', { hasText: '1.0' }).click()
  await page.waitForURL(/\?q=start&library=shed&version=1\.0/)
  expect(await page.locator('.found').innerText()).toContain('in shed 1.0')
  await quiet(tab)
})

test('logs in and out if a token is required', async () => {
  const tab = await locked.tab()
  const { page } = tab
  await page.goto('/?q=a')
  expect(await violations(page)).toEqual([])
  await page.locator('#token').fill(token)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/\?q=a$/)
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' })
  await page.locator('button', { hasText: 'Log out' }).click()
  await page.waitForURL(/\/login/)
  await quiet(tab)
})

const kettle = new URLSearchParams({ library: 'house', version: '1.0', url: 'doc:/kettle.md' })
const views = [
  '/',
  '/?q=kettle&kind=guide',
  '/?q=kettle&library=none',
  `/read?${kettle}&lines=80-110`,
  '/libraries',
  '/pages?library=house&version=1.0',
  `/chunks?${kettle}`,
]

test('is never wider than the window, and is accessible in light and dark mode', async () => {
  const tab = await site.tab()
  const { page } = tab
  for (const path of views) {
    await page.goto(path)
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

test('prints dark text on a light background, and wraps long lines of code', async () => {
  const tab = await site.tab()
  const { page } = tab
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.goto(`/read?${kettle}`)
  const paper = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  expect(paper).toBe('rgb(252, 252, 251)')
  expect(await page.evaluate('getComputedStyle(document.querySelector("pre")).whiteSpace')).toBe(
    'pre-wrap',
  )
  await quiet(tab)
})
