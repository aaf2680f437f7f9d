import { expect, test } from 'bun:test'
import { loadGrammar, type GrammarName } from '../../../src/api/grammar/grammar.ts'
import { resolveNamespaces } from '../../../src/api/link/namespaces.ts'

/** Maps each module to the qualified names of its symbols and their members. */
async function check(
  language: GrammarName,
  files: Record<string, string>,
  expected: Record<string, string[]>,
) {
  const outline = await loadGrammar(language)
  const outlines = new Map(Object.entries(files).map(([path, text]) => [path, outline(text)]))
  const modules = resolveNamespaces(outlines, { pathOf: (path) => path })
  const names = modules.map(({ name, line, symbols }) => [
    `${name}:${line}`,
    symbols.flatMap(({ symbol }) =>
      [symbol, ...symbol.members].map(({ qualifiedName }) => qualifiedName),
    ),
  ])
  expect(Object.fromEntries(names)).toEqual(expected)
}

test('joins the names of nested modules', async () => {
  const text = `defmodule A.B do
  @moduledoc "B"
  def one, do: 1
  defmodule C do
    def two, do: 2
    def _three, do: 3
  end
end`
  await check('elixir', { 'a.ex': text }, { 'A.B:1': ['A.B.one'], 'A.B.C:4': ['A.B.C.two'] })
})

test('merges the parts of a class and of a namespace', async () => {
  const part = (member: string) =>
    `namespace A { public partial class Lamp { public void ${member}() { } } }`
  await check(
    'csharp',
    { 'a.cs': part('On'), 'b.cs': part('Off'), 'c.cs': 'namespace A.B; public enum C { D }' },
    { 'A:1': ['A.Lamp', 'A.Lamp.On', 'A.Lamp.Off'], 'A.B:1': ['A.B.C', 'A.B.C.D'] },
  )
})
