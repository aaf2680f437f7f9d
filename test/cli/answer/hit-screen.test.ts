import { expect, test } from 'bun:test'
import { showHits, type HitScreen } from '../../../src/cli/answer/hit-screen.ts'
import { openTerminal } from '../../../src/cli/terminal.ts'
import { chunks, sink } from '../../support/run-og.ts'

const hits = Array.from({ length: 9 }, (_, i) => ({
  title: `Hit ${i}`,
  place: 'tea 1',
  command: `og get ${i}`,
  text: Array.from({ length: 20 }, (_, n) => `- line ${n} of tea`).join('\n'),
}))
const plain: HitScreen = {
  query: 'tea',
  hits,
  above: [],
  below: [],
  isFull: false,
  isAll: false,
  isPaged: false,
}

function open(env: Record<string, string> = { NO_COLOR: '1' }) {
  const stdout = sink(true)
  const stdin = Object.assign(chunks(''), { isTTY: false })
  const terminal = openTerminal({ stdin, stdout, stderr: sink(true) }, env)
  return { terminal, stdout }
}

async function shown(more: Partial<HitScreen>, rows = 24): Promise<string[]> {
  const { terminal, stdout } = open()
  await showHits({ terminal }, { columns: 60, rows }, { ...plain, ...more })
  expect(stdout.text()).toEndWith('\n')
  return stdout.text().slice(0, -1).split('\n')
}

test('shows a screenful of hits and the number of remaining ones', async () => {
  for (const rows of [12, 24, 40]) {
    const lines = await shown({ above: ['Sentence above.'], below: ['Sentence below.'] }, rows)
    expect(lines.length).toBeLessThan(rows)
    expect(lines[0]).toBe('Sentence above.')
    const count = lines.filter((line) => /^\d {2}Hit/.test(line)).length
    expect(lines.at(-2)).toBe(`${9 - count} more hits: --full shows all`)
    expect(lines.at(-1)).toBe('Sentence below.')
  }
  expect((await shown({ hits: hits.slice(0, 2) }, 12)).at(-1)).toBe('1 more hit: --full shows all')
})

test('shows every line of every hit with --full', async () => {
  const lines = await shown({ isFull: true })
  expect(lines.filter((line) => line.includes('of tea'))).toHaveLength(9 * 20)
  expect(lines).toContain('9  Hit 8')
  expect(lines.at(-1)).toBe('   og get 8')
  expect(lines.join()).not.toContain('more hit')
})

test('shows all requested hits without a note about more hits', async () => {
  const lines = await shown({ isAll: true }, 10)
  expect(lines.filter((line) => /^\d {2}Hit/.test(line))).toHaveLength(9)
  expect(lines.join()).not.toContain('more hit')
})

test('wraps sentences and highlights query terms', async () => {
  const above = ['one two three four five six seven eight nine ten eleven twelve thirteen']
  expect((await shown({ above }))[1]).toBe('twelve thirteen')
  const { terminal, stdout } = open({})
  await showHits({ terminal }, { columns: 60, rows: 24 }, plain)
  expect(stdout.text()).toContain('\x1b[1;33mtea\x1b[0m')
})
