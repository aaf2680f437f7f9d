import { expect, test } from 'bun:test'
import type { FullPage } from '../../src/library/page.ts'
import { get, type GetContext } from '../../src/operation/get.ts'

const page: FullPage = {
  library: 'kettle',
  version: '1',
  url: 'doc:/a.md',
  title: 'A',
  markup: 'markdown',
  text: '# A\n\n## Boil\n\nIt boils.\n\n## Pour\n\nIt pours.\n',
  anchor: null,
  versionFrom: null,
  otherVersions: [],
}
const input = {
  url: 'doc:/a.md',
  library: null,
  version: null,
  start_line: null,
  end_line: null,
  max_tokens: null,
  cursor: null,
}

function contextOf(found: FullPage | null): GetContext {
  return {
    og: { page: async () => found, pagesNear: async () => ['doc:/b.md'] },
    project: async () => null,
    maxTokens: Infinity,
    renderOutline: (headings) => headings.map(({ title }) => title).join('\n'),
  }
}

test('reads a page, a section and lines', async () => {
  const whole = get.json(await get.run(contextOf(page), input))
  expect(whole).toMatchObject({ found: true, text: page.text, start_line: 1, end_line: 9 })
  const section = get.json(await get.run(contextOf({ ...page, anchor: 'boil' }), input))
  expect(section).toMatchObject({
    heading: 'A > Boil',
    anchor: 'boil',
    text: '## Boil\n\nIt boils.\n\n',
    start_line: 3,
  })
  const lines = get.json(await get.run(contextOf(page), { ...input, start_line: 9, end_line: 9 }))
  expect(lines).toMatchObject({ text: 'It pours.\n', start_line: 9, end_line: 9, total_lines: 9 })
})

test('returns the nearest URLs if the page or section does not exist', async () => {
  expect(get.json(await get.run(contextOf(null), input))).toEqual({
    found: false,
    nearest: ['doc:/b.md'],
  })
  const answer = await get.run(contextOf({ ...page, anchor: 'boyl' }), input)
  expect(get.json(answer)).toEqual({ found: false, nearest: ['doc:/a.md#boil'] })
})

test('notes which version the project pins', async () => {
  const from = { library: 'kettle', version: '1', package: 'kettle', named: '1.0', file: 'go.mod' }
  const answer = await get.run(contextOf({ ...page, versionFrom: from }), input)
  expect(answer.notes).toEqual([{ kind: 'version-chosen', ...from }])
  expect(get.json(answer)).toMatchObject({ notes: [expect.anything()] })
})

test('notes other versions with the page unless the caller chose the version', async () => {
  const several = { ...page, otherVersions: ['0.9'] }
  expect((await get.run(contextOf(several), input)).notes).toEqual([
    { kind: 'version-default', library: 'kettle', version: '1', others: ['0.9'] },
  ])
  expect((await get.run(contextOf(page), input)).notes).toEqual([])
})

test('a truncated part has an outline and a cursor', async () => {
  const long = { ...page, text: page.text + 'word '.repeat(400) }
  const json = get.json(await get.run(contextOf(long), { ...input, max_tokens: 200 }))
  expect(json).toMatchObject({ found: true, outline: [{ title: 'A' }, {}, {}] })
  expect(json).toMatchObject({ next_cursor: expect.any(String) })
})
