import { expect, test } from 'bun:test'
import { get, type GetContext, cutPagePart } from '../../src/operation/get.ts'
import { estimateTokens } from '../../src/platform/tokens.ts'
import type { FullPage } from '../../src/library/library.ts'

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
    condensesApi: false,
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

const text = 'one\ntwo\nthree\nfour\n'
const wish = { startLine: 1, endLine: null, maxTokens: 1_000, cursor: null }

function check(asked: Partial<Parameters<typeof cutPagePart>[1]>, expected: object): void {
  expect(cutPagePart(text, { ...wish, ...asked })).toMatchObject(expected)
}

test('line numbers are 1-based and inclusive', () => {
  check({}, { content: text, startLine: 1, endLine: 4, totalLines: 4, cursor: null })
  check({ startLine: 2, endLine: 3 }, { content: 'two\nthree\n', startLine: 2, endLine: 3 })
  check({ startLine: 3 }, { content: 'three\nfour\n', startLine: 3, endLine: 4 })
  check({ endLine: 99 }, { content: text, endLine: 4 })
  expect(cutPagePart('', wish)).toMatchObject({
    content: '',
    startLine: 1,
    endLine: 1,
    totalLines: 1,
  })
})

test('rejects lines that do not exist', () => {
  expect(() => check({ startLine: 5 }, {})).toThrow('No lines 5: the page has 4')
  expect(() => check({ startLine: 3, endLine: 2 }, {})).toThrow('No lines 3-2')
})

test('splits any text into parts without gaps', () => {
  const texts = [text, 'x'.repeat(500), 'ü'.repeat(99), '😀'.repeat(40), `a\n${'b'.repeat(70)}\nc`]
  for (const whole of texts) {
    let cursor: string | null = null
    let read = ''
    do {
      const part: ReturnType<typeof cutPagePart> = cutPagePart(whole, {
        ...wish,
        maxTokens: 4,
        cursor,
      })
      expect(estimateTokens(part.content)).toBeLessThanOrEqual(4)
      expect(part.content).not.toBe('')
      read += part.content
      cursor = part.cursor
    } while (cursor !== null)
    expect(read).toBe(whole)
  }
})

test('rejects the cursor of a different text', () => {
  const { cursor } = cutPagePart(text, { ...wish, maxTokens: 2 })
  expect(() => cutPagePart(`${text}more`, { ...wish, cursor })).toThrow(
    'older version of this page',
  )
  expect(() => check({ cursor: '4' }, {})).toThrow('Invalid cursor')
})

test('shortens the members of a long API page, unless the caller asks for a part', async () => {
  const member = (name: string) =>
    `## \`kettle.Kettle.${name}\`\n\n\`\`\`python\ndef ${name}()\n\`\`\`\n\n` +
    `Does ${name}. ${'More of it. '.repeat(100)}\n\n`
  const text = `# \`kettle.Kettle\`\n\n${member('boil')}${member('pour')}${member('stop')}`
  const context = { ...contextOf({ ...page, url: 'doc:/kettle.py#L1', text }), condensesApi: true }
  const textOf = async (more: { start_line?: number }) => {
    const answer = get.json(await get.run(context, { ...input, ...more }))
    return answer.found ? answer.text : null
  }
  expect(await textOf({})).toBe(
    '# `kettle.Kettle`\n\n**Members**, shortened; the name of one returns all of it.\n\n' +
      '- `def boil()`: Does boil.\n- `def pour()`: Does pour.\n- `def stop()`: Does stop.\n',
  )
  expect(await textOf({ start_line: 1 })).toBe(text)
  expect(await get.run({ ...context, condensesApi: false }, input)).toMatchObject({
    value: { part: { content: text } },
  })
})
