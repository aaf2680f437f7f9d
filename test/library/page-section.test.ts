import { expect, test } from 'bun:test'
import { headingsOf, findSection } from '../../src/library/page-section.ts'

const text = `# CORS

## Use \`CORSMiddleware\`

One.

### More Info

Two.

## Set \`CORSMiddleware\` { #own }

Three.
`
const page = { text, markup: 'markdown' as const }

test('returns a section with everything below its heading', () => {
  const use = { anchor: 'use-corsmiddleware', heading: 'CORS > Use CORSMiddleware', startLine: 3 }
  for (const typed of ['use-corsmiddleware', 'USE-corsmiddleware', 'Use CORSMiddleware']) {
    expect(findSection(page, typed)).toEqual({ ...use, endLine: 10 })
  }
  expect(findSection(page, 'own')).toMatchObject({ startLine: 11, endLine: 13 })
  expect(findSection(page, 'cors')).toMatchObject({ startLine: 1, endLine: 13 })
})

test('returns the line of a value in the API reference', () => {
  const values = '**Values**\n\n- `pub const LIT: u8`: Burns.\n- `pub const OUT: u8`\n'
  const api = { ...page, text: `# \`lamp\`\n\nA lamp.\n\n${values}` }
  const anchor = 'lamp::LIT'
  expect(findSection(api, anchor)).toEqual({ anchor, heading: anchor, startLine: 7, endLine: 7 })
})

test('suggests similar headings if a section does not exist', () => {
  expect(findSection(page, 'use-cors-middleware')).toEqual({ nearest: ['use-corsmiddleware'] })
  expect(findSection(page, 'info')).toEqual({ nearest: ['more-info'] })
  expect(findSection(page, '')).toEqual({ nearest: [] })
  expect(findSection({ ...page, text: 'no headings' }, 'x')).toEqual({ nearest: [] })
})

test('returns headings with their lines', () => {
  expect(headingsOf(page).map(({ line, level }) => [line, level])).toEqual([
    [1, 1],
    [3, 2],
    [7, 3],
    [11, 2],
  ])
})

test('prefers the heading that is spelled as typed', () => {
  const text = '# `kit`\n\n## `kit.$with`\n\nA.\n\n## `kit.with`\n\nB.\n'
  expect(findSection({ text, markup: 'markdown' }, 'kit.with')).toMatchObject({ startLine: 7 })
})
