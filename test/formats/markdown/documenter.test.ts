import { expect, test } from 'bun:test'
import { withoutDocumenterLinks } from '../../../src/formats/markdown/documenter.ts'
import { toPlainMarkdown } from '../../../src/formats/markdown/markdown-text.ts'

test('removes hidden blocks of Documenter.jl, and lists the objects that it documents', () => {
  const text = '```@meta\nCurrentModule = A\n```\n\n```@docs\nf\nA.g(x)\n```\n\n~~~@index\n~~~\nend'
  expect(toPlainMarkdown(text).trim()).toBe(
    '- `f` (API reference, not included)\n- `A.g(x)` (API reference, not included)\n\nend',
  )
})

test('keeps examples as Julia code', () => {
  for (const kind of ['@example a', '@repl', 'jldoctest x; setup = 1']) {
    expect(toPlainMarkdown(`\`\`\`${kind}\n@time f()\n\`\`\``)).toBe('```julia\n@time f()\n```')
  }
  const other = '```jldoctests\n@docs\n```\n\n```@other\n```'
  expect(toPlainMarkdown(other)).toBe(other)
})

test('removes the lines of an example that Documenter.jl hides', () => {
  const check = (text: string, expected: string) =>
    expect(toPlainMarkdown(text).trim()).toBe(expected)
  check('```@example a\nx = 1 # hide\nf(x)\n```', '```julia\nf(x)\n```')
  check('```@repl\nx = 1 #hide\n```\n\nEnd', 'End')
  check('```jldoctest\nf() # hide\n```', '```julia\nf() # hide\n```')
  check('```julia\nf() # hide\n```', '```julia\nf() # hide\n```')
})

test('converts links to documented objects to their text', () => {
  const check = (text: string, expected: string) =>
    expect(withoutDocumenterLinks(text)).toBe(expected)
  check('see [`f`](@ref) and [`a[i]`](@ref Base.getindex)', 'see `f` and `a[i]`')
  check('# [Title](@id title)', '# Title')
  check('[x](@other) [y](b.md)', '[x](@other) [y](b.md)')
  const long = '[a]('.repeat(50_000)
  check(`${long}](@`, `${long}](@`)
})

test("shows the names of ExDoc's callbacks and types without their kind", () => {
  expect(
    withoutDocumenterLinks('`c:X.Repo.insert/2`, [it](`t:X.t/0`), `t:t/0`, `c:/x`, `m:Enum#sec`'),
  ).toBe('`X.Repo.insert/2`, it, `t/0`, `c:/x`, `Enum`')
})
