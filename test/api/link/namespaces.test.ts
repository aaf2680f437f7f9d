import { expect, test } from 'bun:test'
import { loadGrammar, type GrammarName } from '../../../src/api/grammar/grammar.ts'
import { languages } from '../../../src/api/language.ts'
import { resolveNamespaces } from '../../../src/api/link/namespaces.ts'

/** Maps each module to the qualified names of its symbols and their members. */
async function check(
  language: GrammarName,
  files: Record<string, string>,
  expected: Record<string, string[]>,
) {
  const outline = await loadGrammar(language)
  const outlines = new Map(Object.entries(files).map(([path, text]) => [path, outline(text)]))
  const modules = resolveNamespaces(
    outlines,
    { name: 'acme', pathOf: (path) => path },
    languages[language].style,
  )
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

test('joins names with the marks of Ruby and PHP', async () => {
  const lamp = `class Lamp
  A = 1
  class Wick
    def trim; end
  end
  def on; end
  def self.make; end
end`
  const files = {
    'a.rb': `module Acme\n${lamp}\ndef self.x; end\nend`,
    'b.rb': 'module Acme::Oil\nend\nclass Acme::Oil::Can\nend\nclass Top\nend',
    'c.rb': 'module Acme\nclass Lamp\nclass Wick\ndef burn; end\nend\nend\nend',
  }
  const own = ['Acme::Lamp', 'Acme::Lamp::A', 'Acme::Lamp::Wick', 'Acme::Lamp#on']
  await check('ruby', files, {
    'Acme:1': [...own, 'Acme::Lamp.make', 'Acme.x'],
    'acme:1': ['Acme::Oil::Can', 'Top'],
  })
  const text =
    '<?php namespace A\\B; const C = 1; class D { const E = 1; public $f; function g() {} }'
  await check(
    'php',
    { 'a.php': text },
    { 'A\\B:1': ['A\\B\\C', 'A\\B\\D', 'A\\B\\D::E', 'A\\B\\D::$f', 'A\\B\\D::g'] },
  )
})
