import { expect, test } from 'bun:test'
import { htmlText } from '../../../src/web/html.ts'
import {
  findCorrectionsIn,
  findEntry,
  entryCard,
  entryName,
  entryText,
} from '../../../src/web/memory/entry-card.ts'
import type { OpenWorkspace } from '../../../src/web/memory/site-memory.ts'
import { parseEntries } from '../../../src/memory/entry.ts'

const entries = (text: string) =>
  parseEntries(text).map((entry) => ({ ...entry, file: 'MEMORY.md' }))

test('renders an entry as Markdown whose links open only the web', () => {
  const text = htmlText(entryText('**A** [b](c.md) [d](https://e.example) <script>f</script>'))
  expect(text).toContain('<strong>A</strong> <a>b</a>')
  expect(text).toContain('<a href="https://e.example" class="away" rel="noopener noreferrer">d</a>')
  expect(text).not.toContain('<script')
})

test('truncates a very long entry and shows it as plain text', () => {
  const text = htmlText(entryText(`${'a'.repeat(20_000)}<b>bcd`))
  expect(text).toStartWith('<pre tabindex="0">aaa')
  expect(text).toContain('and 6 more characters')
})

test('finds the corrections of an entry and reports a missing entry', () => {
  const [first] = entries('## One\n\nA.\n')
  const all = entries(`## One\n\nA.\n\n## Two\n\n<!-- corrects: ${first!.id} -->\nB.\n`)
  expect(
    findCorrectionsIn(all)
      .get(first!.id)
      ?.map(({ body }) => body),
  ).toEqual(['B.'])
  expect(findEntry(all, { file: 'MEMORY.md', id: first!.id }).body).toBe('A.')
  expect(() => findEntry(all, { file: 'USER.md', id: first!.id })).toThrow('any more')
  expect(entryName({ ...all[0]!, heading: '' })).toBe('MEMORY.md, lines 1-3')
})

test('titles a card with the text of the entry, and its place with the time', () => {
  const remembered = { workspace: 'w' } as OpenWorkspace
  const card = (text: string, heading = '2026-11-28 18:13') =>
    htmlText(entryCard(remembered, entries(`## ${heading}\n\n${text}\n`)[0]!, new Map()))
  const short = card('Deploys use **C#**: `make deploy`.')
  expect(short).toContain(
    '>Deploys use C#: make deploy.</a></h2>\n<p class="place">2026-11-28 18:13',
  )
  expect(short).not.toContain('class="prose"')
  const long = card(`The release ${'goes out '.repeat(20)}on Tuesdays.`)
  expect(long).toMatch(/>The release [^<]{10,60} …<\/a><\/h2>/)
  expect(long).toContain('on Tuesdays.</p>')
  expect(card('See [the guide](https://a.example).')).toContain('<a href="https://a.example"')
  expect(card('Room 4.', 'Boiler')).toContain('>Boiler</a></h2>')
})
