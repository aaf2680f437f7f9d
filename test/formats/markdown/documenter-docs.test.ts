import { expect, test } from 'bun:test'
import { growthLimitFor } from '../../../src/document/growth.ts'
import { withDocstrings } from '../../../src/formats/markdown/documenter.ts'
import { parsePage } from '../../../src/page/parse.ts'
import { fileReader } from '../../support/page/file-reader.ts'

const files = {
  'src/Tool.jl':
    'module Tool\n"""\n    on(x)\n\nTurns on, see [`off`](@ref).\n\n# Examples\n\n```jldoctest\njulia> on(1)\n' +
    '# no heading\n```\n"""\non(x) = 1\n\n"Turns off."\noff() = 2\nend\n',
}

async function check(text: string, expected: string) {
  const page = await parsePage(
    { bytes: Buffer.from(text), path: 'docs/a.md', url: 'https://example.org/a' },
    { from: 'docs/a.md', read: fileReader(files) },
  )
  expect(page.text.trim()).toBe(expected)
}

const on =
  '### `Tool.on`\n\n    on(x)\n\nTurns on, see `off`.\n\n#### Examples\n\n```julia\njulia> on(1)\n' +
  '# no heading\n```'
const off = '### `Tool.off`\n\n```julia\noff()\n```\n\nTurns off.'

test('shows the docstrings that a page names, below the heading above them', () =>
  check(
    '# A\n\n## Use\n\n```@docs; canonical=false\non\n\nBase.gone(x)\n```\n\nEnd',
    `# A\n\n## Use\n\n${on}\n\n- \`Base.gone(x)\` (API reference, not included)\n\n\nEnd`,
  ))

test('shows all docstrings of a module and its files', () =>
  check(
    '## Use\n\n```@autodocs\nModules = [Tool]\nPages = [joinpath("src", "Tool.jl")]\n```\n',
    `## Use\n\n${on}\n\n${off}`,
  ))

test('keeps the names if their docstrings exceed the growth limit', () => {
  const text = '```@docs\non\non\n```'
  const long = { qualifiedName: 'on', kind: 'function' as const, text: 'x'.repeat(3 * 2 ** 20) }
  const docs = { named: () => [long], autodocs: () => [] }
  const lookup = {
    find: () => null,
    julia: () => docs,
    declared: () => null,
    resolve: () => Promise.resolve(false),
  }
  expect(withDocstrings(text, { lookup, growth: growthLimitFor(text.length) })).toBe(text)
})

test('keeps blocks inside other fences', () => {
  const text = '````md\n```@docs\non\n```\n````'
  return check(text, text)
})
