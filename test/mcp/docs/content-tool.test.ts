import { expect, test } from 'bun:test'
import { estimateTokens } from '../../../src/platform/tokens.ts'
import { connectRaw, openMcpHome } from '../../support/mcp.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const part = (i: number) =>
  `## Part ${i}\n\n### Detail ${i}\n\n${`Words of part ${i}. `.repeat(40)}\n`
const long = `# Long\n\n${Array.from({ length: 60 }, (_, i) => part(i)).join('\n')}`
const home = disposeAfterAll(await openMcpHome())
await home.add('kit', '1', { 'docs/long.md': long, 'a.md': '# A\n\n## B\n\nShort.\n' })
const client = disposeAfterAll(await connectRaw(home.face()))

const read = async (given: object) => {
  const { content, structuredContent } = await client.call('get_full_content_tool', {
    version: '1',
    structured: 'full',
    ...given,
  })
  const { text: body, ...place } = structuredContent
  return { text: content[0].text as string, body, ...place }
}

test('reads the opening of a long page, with an outline with sizes and a cursor', async () => {
  const first = await read({ url: 'doc:/docs/long.md' })
  expect(estimateTokens(first.body)).toBeWithin(800, 1_001)
  expect(estimateTokens(first.text)).toBeLessThan(2_200)
  const size = estimateTokens(`${part(0)}\n`)
  expect(first.outline[1]).toEqual({ line: 3, level: 2, title: 'Part 0', tokens: size })
  const lines = long.split('\n')
  for (const { line, title } of first.outline) expect(lines[line - 1]).toEndWith(` ${title}`)
  expect(first.text).toContain(`\n    3    ${size}    Part 0\n`)
  const second = await read({ url: 'doc:/docs/long.md', cursor: first.next_cursor })
  expect(long).toStartWith(first.body + second.body)
  expect(second.outline).toBeUndefined()
  const large = await read({ url: 'doc:/docs/long.md', max_tokens: 6_000 })
  expect(estimateTokens(large.body)).toBeWithin(4_000, 6_001)
  const little = await read({ url: 'doc:/docs/long.md', max_tokens: 200 })
  expect(estimateTokens(little.body + JSON.stringify(little.outline ?? []))).toBeLessThan(400)
})

test('omits the outline for a whole page and for requested lines', async () => {
  for (const given of [{ url: 'doc:/a.md' }, { url: 'doc:/docs/long.md', start_line: 3 }]) {
    expect((await read(given)).outline).toBeUndefined()
  }
})

test('finds a page by path and a section by anchor, and suggests the nearest ones otherwise', async () => {
  const section = await read({ url: 'docs/long.md#detail-3' })
  expect(section).toMatchObject({ found: true, url: 'doc:/docs/long.md' })
  expect(section.body).toStartWith('### Detail 3\n')
  expect(section.body).not.toContain('Part 4')
  expect(await read({ url: 'docs/long.md#detail-333' })).toMatchObject({
    found: false,
    nearest: expect.arrayContaining(['docs/long.md#detail-33']),
  })
  expect(await read({ url: 'guide/lnog.html' })).toMatchObject({
    found: false,
    nearest: ['doc:/docs/long.md'],
  })
  const large = await read({ url: 'doc:/docs/long.md#long', max_tokens: 300 })
  expect(large.text).toContain('"url": "doc:/docs/long.md#long"')
  const heading = await read({ url: 'doc:/docs/long.md#Part 3', max_tokens: 200 })
  expect(heading.outline.map(({ title }: { title: string }) => title)).toEqual([
    'Part 3',
    'Detail 3',
  ])
})
