import { expect, test } from 'bun:test'
import { findRepeatsByPage, findRepeats } from '../../src/chunk/repeats.ts'
import { cpuMs } from '../support/pages/cpu-time.ts'
import type { Markup } from '../../src/document/headings.ts'

/** Returns the parts of a page that are not embedded. */
function check(text: string, expected: string[], markup: Markup = 'markdown') {
  const found = findRepeats({ text, markup })
  expect(found.map(({ start, end }) => text.slice(start, end).trim())).toEqual(expected)
}

const lines = (name: string, last: string) =>
  [...Array.from({ length: 12 }, (_, i) => `${name}.light(${i}, 'wick')`), last].join('\n')
const fence = (code: string, label = '') => `\`\`\`${label}\n${code}\n\`\`\``
const lamp = lines('lamp', 'lamp.out()')

test('skips all tabs except the first, including their notes', () => {
  const code = fence(lines('lamp', 'trim()'))
  const other = `Python 3.8+:\n\n**Tip**\n\nPrefer the other one.\n\n${code}`
  check(`# Lamp\n\nPython 3.10+:\n\n${fence(lamp)}\n\n${other}\n\nIt burns.\n`, [other])
})

test('also skips short tabs that differ only in the name of the tool', () => {
  const tab = (tool: string) => `${tool}:\n\n${fence(`${tool} add lamp`)}`
  check(['npm', 'yarn', 'pnpm'].map(tab).join('\n\n'), [tab('yarn'), tab('pnpm')])
})

test('skips code that is repeated under another heading with other lines highlighted', () => {
  const again = fence(lamp, 'py hl_lines="3"')
  check(
    `# A\n\nLight it:\n\n${fence(lamp, 'py')}\n\n## B\n\nSee the wick:\n\n${again}\n\nDone.\n`,
    [again],
  )
})

test('skips a whole tab group if its first tab is a repeat', () => {
  const tabs = `Python 3.10+:\n\n${fence(lamp)}\n\nPython 3.8+:\n\n${fence(lines('lamp', 'x()'))}`
  check(`# A\n\n${tabs}\n\n## B\n\nOnce more.\n\n${tabs}\n`, [
    tabs.slice(tabs.indexOf('Python 3.8+')),
    tabs.slice(0, tabs.indexOf('Python 3.8+')).trim(),
    tabs.slice(tabs.indexOf('Python 3.8+')),
  ])
})

test('keeps short code, different code, prose and a single code sample', () => {
  const short = fence('lamp.light()')
  check(`# A\n\n${short}\n\n## B\n\n${short}\n`, [])
  check(`# A\n\n${fence(lamp)}\n\n## B\n\n${fence(lines('stove', 'stove.out()'))}\n`, [])
  check(`Request:\n\n${fence('GET /lamp')}\n\nResponse:\n\n${fence('{ "lit": true }')}`, [])
  const prose = 'The lamp burns oil, and the wick is trimmed each day. '.repeat(6)
  check(`# A\n\n${prose}\n\n## B\n\n${prose}\n\n${fence(lamp)}\n`, [])
  check('', [])
})

test('handles a hostile page in linear time', () => {
  const tab = (i: number) => `npm ${i}:\n\n${fence('npm add x')}\n\n`
  const tabs = Array.from({ length: 40_000 }, (_, i) => tab(i)).join('')
  const spentMs = cpuMs(() => {
    expect(findRepeats({ text: tabs, markup: 'markdown' }).length).toBeGreaterThan(0)
    expect(findRepeats({ text: '```'.repeat(400_000), markup: 'markdown' })).toEqual([])
    expect(findRepeats({ text: '<a\n'.repeat(400_000), markup: 'markdown' })).toEqual([])
  })
  expect(spentMs).toBeLessThan(20_000)
})

test('returns the repeats of each page by its URL', async () => {
  async function* pages() {
    const text = `${fence(lamp)}\n\n---\n\n${fence(lamp)}`
    yield ['a', 'b'].map((url) => ({ url, markup: 'markdown', text }))
    yield [{ url: 'c', markup: 'markdown', text: 'Prose.' }]
  }
  expect([...(await findRepeatsByPage(pages())).keys()]).toEqual(['a', 'b'])
})
