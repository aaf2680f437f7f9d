import { queryTerms, termsAmong } from '../../chunk/terms.ts'
import { wordSet } from '../../document/word-set.ts'
import type { Range } from '../../chunk/range.ts'
import type { QueryFocus } from './focus.ts'
import type { Outline } from './outline.ts'

/** A code block and the index of its section. */
export type CodeBlock = Range & { section: number }

/** Weight of a query term in the headings above code, compared with a term in the code. */
const headingWeight = 0.2
/** Weight of the queried name compared with query terms. */
const nameWeight = 100
/** Weight of data, commands and output compared with program code. */
const dataWeight = 0.2
/** Weight of code in another language than the query names. */
const otherLanguageWeight = 0.2
/** If more of the code than this is data (a guide to a file format), data counts as code. */
const mostData = 0.8

/**
 * Rates code blocks as examples of the query's subject. Only terms in the code and its headings
 * count because the text before it also introduces output, installation and configuration. A term
 * counts more if fewer blocks contain it.
 */
export function rateExamples(
  outline: Outline,
  blocks: readonly CodeBlock[],
  { terms, nameScore, languages }: QueryFocus,
): number[] {
  const words = new Set(terms)
  const matches = blocks.map(({ start, end, section }) => {
    const code = outline.text.slice(start, end).replace(namingLines, '')
    const path = outline.sections[section]!.path.join('\n')
    return {
      code: termsAmong(words, code),
      path: termsAmong(words, path),
      nameMatch: nameScore(code),
    }
  })
  const rarity = new Map(
    terms.map((term) => {
      const count = matches.filter(({ code, path }) => code.has(term) || path.has(term)).length
      return [term, Math.log(1 + blocks.length / Math.max(1, count))]
    }),
  )
  const sumOf = (matchTerms: ReadonlySet<string>) =>
    [...matchTerms].reduce((sum, term) => sum + rarity.get(term)!, 0)
  const isData = asksForData(terms) ? null : dataIn(outline, blocks)
  return matches.map(({ code, path, nameMatch }, i) => {
    const score = 1 + sumOf(code) + headingWeight * sumOf(path) + nameWeight * nameMatch
    if (languages?.size) {
      const { start, end } = blocks[i]!
      const isAsked = isInLanguage(outline.text.slice(start, end), languages)
      return isAsked ? score : score * otherLanguageWeight
    }
    return isData?.[i] ? score * dataWeight : score
  })
}

const languageGroups = [
  'yaml yml',
  'toml',
  'json jsonc json5',
  'xml',
  'typescript ts tsx mts cts',
  'javascript js jsx mjs cjs',
  'html',
  'css scss sass less',
  'python py python3 pycon',
  'ruby rb',
  'go golang',
  'rust rs',
  'java',
  'kotlin kt kts',
  'swift',
  'scala',
  'c# csharp cs',
  'c++ cpp cxx',
  'elixir ex exs iex',
  'php',
  'sql',
  'graphql',
  'bash sh shell zsh',
  'powershell pwsh ps1',
].map(wordSet)

/** Matches `lock in TOML` and `TOML example`. Elsewhere, the name of a language is a subject. */
const languageRequest = new RegExp(
  String.raw`\b(?:in|using) ([a-z][a-z+#]*)(?![\w./-])` +
    String.raw`|([a-z][a-z+#]*) (?:code|examples?|samples?|snippets?)\b`,
  'gi',
)

/** Returns the languages in which a query asks for code, by all their names in fences. */
export function askedLanguages(query: string): ReadonlySet<string> {
  const words = [...query.matchAll(languageRequest)].map(([, after, before]) => after ?? before!)
  const names = new Set(words.map((word) => word.toLowerCase()))
  return new Set(
    languageGroups.filter((group) => !group.isDisjointFrom(names)).flatMap((group) => [...group]),
  )
}

/** True if a text has a fence in one of the languages. */
export function isInLanguage(text: string, languages: ReadonlySet<string>): boolean {
  return text.split('\n').some((line) => languages.has(languageOf(line.trimStart()) ?? ''))
}

/** Imports and fences contain package and file names, which are often words of the query. */
const namingLines = /^[ \t]*(?:(?:import|using|use|package|from|require)\b|`{3}|~{3}).*$/gm

/** True if a query asks for data or commands. Words are stemmed on demand, which saves time. */
function asksForData(terms: readonly string[]): boolean {
  const dataTerms = new Set(
    queryTerms(
      'json yaml yml toml xml ini properties config configuration shell terminal cli curl ' +
        'install installation docker dockerfile',
      64,
    ),
  )
  return terms.some((term) => dataTerms.has(term))
}

const dataLanguages = new Set(
  (
    'json json5 jsonc yaml yml toml ini xml properties dotenv env csv http diff text txt plain ' +
    'plaintext output none log tree mermaid console bash sh shell shell-session shellscript zsh ' +
    'powershell pwsh cmd bat terminal'
  ).split(' '),
)

/** Returns for each block whether it is data, a command or output; null if most blocks are. */
function dataIn({ text }: Outline, blocks: readonly CodeBlock[]): boolean[] | null {
  const codes = blocks.map(({ start, end }) => text.slice(start, end).trim().split('\n'))
  const languages = codes.map(([opening = '']) => languageOf(opening))
  const fenced = languages.filter((language) => language !== null)
  // On a page with labelled code, unlabelled code is output or a drawing.
  const isLabelled = fenced.filter((language) => language !== '').length * 2 >= fenced.length
  const isData = codes.map((lines, i) => {
    const language = languages[i]!
    if (language !== null && dataLanguages.has(language)) return true
    return (language === '' && isLabelled) || isJson(lines.slice(1, -1))
  })
  return isData.filter(Boolean).length > mostData * blocks.length ? null : isData
}

/** Returns a code block's language, '' for a fence without one, or null for other markup. */
function languageOf(opening: string): string | null {
  const [, name] = /^[`~]{3,}[ \t]*\{?[ \t]*\.?([\w+#-]*)/.exec(opening) ?? []
  return name?.toLowerCase() ?? null
}

function isJson(lines: readonly string[]): boolean {
  const content = lines.map((line) => line.trim()).filter((line) => line !== '')
  return (
    /^[{[]/.test(content[0] ?? '') &&
    content.every((line) => /^(?:[{}[\]]+,?|["\d].*|\.\.\.)$/.test(line))
  )
}
