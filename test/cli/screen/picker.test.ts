import { expect, test } from 'bun:test'
import type { KeyScreen, PressedKey } from '../../../src/cli/screen/key-screen.ts'
import { runPicker } from '../../../src/cli/screen/picker.ts'
import { plainText, type Line } from '../../../src/cli/screen/span.ts'

type Size = { columns: number; rows: number }

/** Presses the keys and records the screen before each of them. */
function keyed(keys: (PressedKey | Size)[], size: Size) {
  const sheets: string[][] = []
  let at = 0
  const screen: KeyScreen = {
    size: () => size,
    draw(lines: readonly Line[]) {
      expect(lines.length).toBeLessThanOrEqual(size.rows)
      sheets.push(lines.map(plainText))
    },
    async key() {
      const key = keys[at++] ?? 'end'
      if (typeof key === 'string') return key
      size = key
      return 'resize'
    },
    [Symbol.dispose]() {},
  }
  return { screen, sheets, left: () => keys.length - at }
}

const hits = Array.from({ length: 6 }, (_, i) => ({
  title: `Hit ${i}`,
  place: 'tea 1',
  text: `text ${i}`,
  command: `og get ${i}`,
}))
const pageRows = Array.from({ length: 30 }, (_, i) => ({
  spans: [{ text: `line ${i + 1}` }],
  at: i + 1,
}))

async function picked(keys: (PressedKey | Size)[], size: Size = { columns: 60, rows: 12 }) {
  const { screen, sheets, left } = keyed(keys, size)
  const reads: number[] = []
  const code = await runPicker(screen, {
    hits,
    queried: new Set(),
    read: async (index) => {
      reads.push(index)
      return { rows: () => pageRows, startLine: 15 }
    },
  })
  expect(left()).toBeLessThanOrEqual(0)
  return { code, reads, sheets, last: sheets.at(-1)! }
}

/** Checks which title is selected after the keys. */
async function checkPick(keys: PressedKey[], expected: string): Promise<void> {
  const { last } = await picked(keys)
  expect(last.filter((row) => row.startsWith('> '))).toEqual([expected])
}

test('shows the lines of the selected hit and the titles of the others', async () => {
  const { sheets } = await picked(['down', 'quit'])
  expect(sheets[0]).toEqual([
    '> 1  Hit 0',
    '     tea 1',
    '     text 0',
    '     og get 0',
    '  2  Hit 1',
    '  3  Hit 2',
    '  4  Hit 3',
    '  5  Hit 4',
    '  6  Hit 5',
    '',
    '',
    'j k: next, previous   Enter: read   q: leave',
  ])
  expect(sheets[1]!.slice(0, 6)).toEqual([
    '  1  Hit 0',
    '> 2  Hit 1',
    '     tea 1',
    '     text 1',
    '     og get 1',
    '  3  Hit 2',
  ])
})

test('moves the selection through the hits', async () => {
  await checkPick(['down', 'down', 'up'], '> 2  Hit 1')
  await checkPick(['up'], '> 1  Hit 0')
  await checkPick(['last', 'down'], '> 6  Hit 5')
  await checkPick(['last', 'first'], '> 1  Hit 0')
  await checkPick(['page-down'], '> 4  Hit 3')
  await checkPick(['page-down', 'page-down'], '> 6  Hit 5')
  await checkPick(['last', 'page-up'], '> 3  Hit 2')
  await checkPick(['down', 'other', 'resize'], '> 2  Hit 1')
})

test('scrolls a short screen to the selected hit', async () => {
  const { sheets } = await picked(['last', 'quit'], { columns: 60, rows: 7 })
  expect(sheets[1]!.slice(0, 5)).toEqual([
    '  5  Hit 4',
    '> 6  Hit 5',
    '     tea 1',
    '     text 5',
    '     og get 5',
  ])
  // If a hit is longer than the screen, its first lines are visible.
  const { last } = await picked(['down', 'quit'], { columns: 60, rows: 4 })
  expect(last.slice(0, 2)).toEqual(['> 2  Hit 1', '     tea 1'])
})

test('exits with 0 on q, Escape and end of input, and with 130 on an interrupt', async () => {
  for (const key of ['quit', 'escape', 'end'] as const) expect((await picked([key])).code).toBe(0)
  expect((await picked(['interrupt'])).code).toBe(130)
  expect((await picked(['enter', 'interrupt'])).code).toBe(130)
  expect((await picked(['enter', 'end'])).code).toBe(0)
})

test("Enter opens the page at the hit's line, and going back restores the list", async () => {
  const { reads, sheets } = await picked(['down', 'enter', 'left', 'right', 'quit', 'quit'])
  expect(reads).toEqual([1, 1])
  expect(sheets[2]!.slice(0, 10)).toEqual(pageRows.slice(14, 24).map(({ spans }) => spans[0]!.text))
  expect(sheets[2]!.at(-1)).toBe('Hit 1  70 %   j k Space b: move   q: back')
  expect(sheets[3]![1]).toBe('> 2  Hit 1')
})

/** Checks the first line of the page after the keys. */
async function checkTop(keys: (PressedKey | Size)[], expected: string): Promise<void> {
  expect((await picked(['enter', ...keys])).last[0]).toBe(expected)
}

test('scrolls within the page', async () => {
  await checkTop(['down'], 'line 16')
  await checkTop(['enter', 'enter', 'up'], 'line 16')
  await checkTop(['page-up'], 'line 5')
  await checkTop(['page-up', 'page-up'], 'line 1')
  await checkTop(['page-down'], 'line 21')
  await checkTop(['first', 'up'], 'line 1')
  await checkTop(['last', 'down'], 'line 21')
  await checkTop(['other'], 'line 15')
})

test('keeps the position when the terminal is resized', async () => {
  await checkTop([{ columns: 40, rows: 12 }], 'line 15')
  const { last } = await picked(['enter', 'last', { columns: 60, rows: 40 }])
  expect(last.slice(0, 30)).toEqual(pageRows.map(({ spans }) => spans[0]!.text))
  expect(last.at(-1)).toContain('100 %')
  // Lines wider than the screen are wrapped.
  const narrow = await picked(['enter', 'first', { columns: 5, rows: 12 }])
  expect(narrow.last.slice(0, 4)).toEqual(['line ', '1', 'line ', '2'])
})
