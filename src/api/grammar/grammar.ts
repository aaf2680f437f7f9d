import { Language, Parser, Query } from 'web-tree-sitter'
import type { FileOutline } from '../symbol.ts'
import { lineFinder } from '../syntax.ts'
import { cRules } from './c-comment.ts'
import { maskMacros } from './c-macros.ts'
import { maskConditions } from './conditions.ts'
import { elixirRules } from './elixir-comment.ts'
import { grammarBytes, type GrammarFile } from './grammar-file.ts'
import { outlineCaptures, type GrammarRules } from './read-tree.ts'
import { javaRules } from './javadoc.ts'
import { csharpRules } from './csharp-comment.ts'
import { phpRules } from './php-comment.ts'
import { rubyRules } from './ruby-comment.ts'
import cQuery from './queries/c.txt' with { type: 'text' }
import csharpQuery from './queries/csharp.txt' with { type: 'text' }
import elixirQuery from './queries/elixir.txt' with { type: 'text' }
import javaQuery from './queries/java.txt' with { type: 'text' }
import phpQuery from './queries/php.txt' with { type: 'text' }
import rubyQuery from './queries/ruby.txt' with { type: 'text' }

/** A language with a tree-sitter grammar and a query. */
type Grammar = {
  query: string
  rules: GrammarRules
  /** Blanks text that the grammar cannot parse, and keeps offsets. */
  mask?(text: string): string
}

const grammars: Record<Exclude<GrammarFile, 'runtime'>, Grammar> = {
  c: { query: cQuery, rules: cRules, mask: (text) => maskMacros(closeComment(text)) },
  elixir: { query: elixirQuery, rules: elixirRules },
  java: { query: javaQuery, rules: javaRules, mask: closeComment },
  ruby: { query: rubyQuery, rules: rubyRules },
  php: { query: phpQuery, rules: phpRules, mask: closeComment },
  csharp: { query: csharpQuery, rules: csharpRules, mask: firstBranches },
}

function firstBranches(text: string): string {
  return maskConditions(closeComment(text), { branches: 'first' })
}

/** Closes an open comment. Otherwise, the parser would search for its end repeatedly. */
function closeComment(text: string): string {
  return text.lastIndexOf('/*') > text.lastIndexOf('*/') ? `${text}*/` : text
}

export type GrammarName = keyof typeof grammars

/** Loads a grammar, once per process. Only the sandbox process may call it. */
export function loadGrammar(name: GrammarName): Promise<(text: string) => FileOutline> {
  return loads.getOrInsertComputed(name, openGrammar)
}

const loads = new Map<GrammarName, Promise<(text: string) => FileOutline>>()
let runtime: Promise<void> | null = null

async function openGrammar(name: GrammarName): Promise<(text: string) => FileOutline> {
  runtime ??= grammarBytes('runtime').then((wasmBinary) => Parser.init({ wasmBinary }))
  await runtime
  const language = await Language.load(await grammarBytes(name))
  const { query, rules, mask } = grammars[name]
  const captures = new Query(language, query)
  const parser = new Parser()
  parser.setLanguage(language)
  return (text) => {
    const masked = mask?.(text) ?? text
    const tree = parser.parse(masked)!
    try {
      const source = { text: masked, lineOf: lineFinder(text) }
      return outlineCaptures(captures.captures(tree.rootNode), source, rules)
    } finally {
      tree.delete()
    }
  }
}
