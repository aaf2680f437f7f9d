import { expect, test } from 'bun:test'
import { excerptText } from '../../../src/search/excerpt/excerpt-text.ts'
import { outlinePage } from '../../../src/search/excerpt/outline.ts'
import { dropOtherVariants } from '../../../src/search/excerpt/excerpts.ts'

/** Returns the excerpt of a page from line `from` to line `to`, inclusive. */
function shown(
  text: string,
  from: string,
  to = from,
  { name = '', terms = [] as string[], languages = [] as string[] } = {},
): string {
  const outline = outlinePage({ text, markup: 'markdown' })
  const ranges = [{ start: text.indexOf(from), end: text.indexOf(to) + to.length }]
  const nameScore = (code: string) => (name !== '' && code.includes(name) ? 1 : 0)
  return excerptText(
    outline,
    dropOtherVariants(
      outline,
      { ranges, frame: [] },
      { nameScore, terms, languages: new Set(languages) },
    ),
  )
}

const fence = (code: string) => `\`\`\`\n${code}\n\`\`\``
const code = (version: string) => fence(`import lamp\nlamp.light()\nlamp.trim(${version})`)
const tabs =
  `# Lamp\n\nLight it:\n\nPython 3.10+:\n\n${code('10')}\n\nPython 3.8+:\n\n${code('8')}\n\n` +
  'It burns.\n'

test('shows the first tab and lists the names of the others', () => {
  expect(shown(tabs, '# Lamp', 'It burns.')).toBe(
    `# Lamp\n\nLight it:\n\nPython 3.10+:\n\n${code('10')}\n\n[also: Python 3.8+]\n\nIt burns.`,
  )
})

test('shows the variant that contains the matched part', () => {
  const found = shown(tabs, 'lamp.trim(8)')
  expect(found).toStartWith('lamp.trim(8)')
  expect(found).toEndWith('[also: Python 3.10+]')
})

test('shows the matched variant that contains the queried name', () => {
  expect(shown(tabs, '# Lamp', 'It burns.', { name: 'trim(8)' })).toContain('lamp.trim(8)')
  expect(shown(tabs, '# Lamp', 'It burns.', { name: 'trim(8)' })).toContain('[also: Python 3.10+]')
})

test('shows the matched variant that contains the queried words', () => {
  const text = ['npm', 'yarn'].map((tool) => `${tool}:\n\n${fence(`${tool} add x`)}`).join('\n\n')
  expect(shown(text, 'npm:', 'yarn add x\n```', { terms: ['yarn', 'add'] })).toBe(
    `yarn:\n\n${fence('yarn add x')}\n\n[also: npm]`,
  )
  expect(shown(text, 'npm:', 'yarn add x\n```', { terms: ['add'] })).toContain('[also: yarn]')
  const around = `# X\n\nAdd it:\n\n${text}\n\nThen use it.\n`
  expect(shown(around, '# X', 'use it.', { terms: ['yarn'] })).toBe(
    `# X\n\nAdd it:\n\nyarn:\n\n${fence('yarn add x')}\n\n[also: npm]\n\nThen use it.`,
  )
})

test('treats tools and languages as variants of each other', () => {
  const text = ['npm', 'yarn', 'pnpm'].map((tool) => `${tool}:\n\n${fence(`${tool} add x`)}`)
  expect(shown(text.join('\n\n'), 'npm:', 'pnpm add x\n```')).toBe(
    `npm:\n\n${fence('npm add x')}\n\n[also: yarn, pnpm]`,
  )
})

test('keeps labelled code with different content', () => {
  const text = `Request:\n\n${fence('GET /lamp')}\n\nResponse:\n\n${fence('{ "lit": true }')}`
  expect(shown(text, 'Request:', 'true }\n```')).toBe(text)
})

test('does not list variants outside the excerpt', () => {
  expect(shown(tabs, 'It burns.')).toBe('It burns.')
})

test('finds variants right below a heading, and with a note between label and code', () => {
  const first = `# Lamp\n\nNew:\n\n${code('10')}`
  const text = `${first}\n\nOld:\n\n**Tip**\n\nPrefer the new one.\n\n${code('8')}\n`
  expect(shown(text, '# Lamp', 'trim(8)\n```')).toBe(`${first}\n\n[also: Old]`)
})

test('prefers a variant with code to one that is only a comment', () => {
  const note = fence('// Contribute the Rust translation.')
  const text = `Rust:\n\n${note}\n\nPython:\n\n${code('1')}`
  expect(shown(text, 'Rust:', 'lamp.trim(1)\n```')).toBe(`Python:\n\n${code('1')}\n\n[also: Rust]`)
  expect(shown(text, 'Rust:', note)).toBe(`Python:\n\n${code('1')}\n\n[also: Rust]`)
  const none = `Rust:\n\n${note}\n\nGo:\n\n${note}`
  expect(shown(none, 'Rust:', note)).toStartWith('Rust:')
})

test('shows the variant in the language of the query, also if the excerpt has only another', () => {
  const tab = (name: string) => `${name}:\n\n\`\`\`${name.toLowerCase()}\nlamp = ${name}\n\`\`\``
  const text = `# Lamp\n\n${tab('YAML')}\n\n${tab('TOML')}\n\n${tab('JSON')}\n`
  const found = shown(text, '# Lamp', 'lamp = YAML\n```', { languages: ['toml'] })
  expect(found).toBe(`# Lamp\n\n${tab('TOML')}\n\n[also: YAML, JSON]`)
  expect(shown(text, '# Lamp', 'lamp = YAML\n```', { languages: ['php'] })).toContain('= YAML')
})
