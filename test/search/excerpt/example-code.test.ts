import { expect, test } from 'bun:test'
import { bodyBlocks } from '../../../src/search/excerpt/body-block.ts'
import { askedLanguages, rateExamples } from '../../../src/search/excerpt/example-code.ts'
import { outlinePage } from '../../../src/search/excerpt/outline.ts'

/** Returns the index of the code block that is rated best. */
function best(text: string, terms: string[], query = ''): number {
  const outline = outlinePage({ text, markup: 'markdown' })
  const blocks = outline.sections.flatMap((section, at) =>
    bodyBlocks(outline, section)
      .filter(({ kind }) => kind === 'fence')
      .map((block) => ({ ...block, section: at })),
  )
  const focus = { terms, nameScore: () => 0, languages: askedLanguages(query) }
  const scores = rateExamples(outline, blocks, focus)
  expect(scores.length).toBeGreaterThan(1)
  return scores.indexOf(Math.max(...scores))
}

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n\n`

test('counts the words in the code and not the text before it', () => {
  const output = `Decode the token:\n\n${fence('py', 'print(1)')}`
  expect(best(output + fence('py', 'jwt.decode(token)'), ['decod', 'token'])).toBe(1)
})

test('does not count the words of imports and file names', () => {
  const file = fence('js src/data.js', 'places()')
  expect(best(file + fence('js', 'context()'), ['data', 'context'])).toBe(1)
  const setup = fence('java', 'import org.example.custom.endpoint.Main;\nrun();')
  expect(best(setup + fence('java', 'addEndpoint();'), ['custom', 'endpoint'])).toBe(1)
})

test('prefers the code below a heading with the words of the query', () => {
  const text = `# A\n\n## B\n\n${fence('py', 'a()')}## Lock\n\n${fence('py', 'b()')}`
  expect(best(text, ['lock'])).toBe(1)
})

test('prefers code to data, commands and output', () => {
  const code = fence('py', 'lock()\nb()')
  for (const other of [
    fence('json', '{ "lock": "b" }'),
    fence('py', '{\n  "lock": "b",\n  "rest": 2\n}'),
    fence('console', '$ lock b'),
    fence('', 'lock b') + fence('py', 'c()'),
  ]) {
    expect(best(other + code, ['lock', 'b'])).toBe(other.endsWith(fence('py', 'c()')) ? 2 : 1)
  }
  expect(best(fence('', 'lock b') + code, ['lock', 'b'])).toBe(1)
})

test('rates data as code if the query asks for it or the page has little else', () => {
  const text = fence('json', '{ "lock": 1 }') + fence('py', 'lock()')
  expect(best(text, ['lock', 'json'])).toBe(0)
  const guide = fence('yaml', 'lock: b').repeat(5)
  expect(best(guide + fence('go', 'lock()'), ['lock', 'b'])).toBe(0)
})

test('finds the languages in which a query asks for code', () => {
  const isAsked = (query: string, name: string) => askedLanguages(query).has(name)
  expect(isAsked('close a lock in TypeScript', 'ts')).toBe(true)
  expect(isAsked('show me a YAML example of a lock', 'yml')).toBe(true)
  expect(isAsked('close a lock in C#', 'csharp')).toBe(true)
  expect(isAsked('example of a lock in go.mod', 'go')).toBe(false)
  for (const query of ['load css in a page', 'a swift lock', 'code']) {
    expect([...askedLanguages(query)]).toEqual([])
  }
})

test('prefers code in the language of the query', () => {
  const text = fence('yaml', 'lock: b') + fence('toml', 'lock = 1') + fence('py', 'lock(b)')
  expect(best(text, ['lock', 'b'], 'lock b in TOML')).toBe(1)
  expect(best(text, ['lock', 'b'])).toBe(2)
})
