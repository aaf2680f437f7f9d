import { isApiPagePath } from '../../api/api-path.ts'
import { lastPart } from '../../api/page-symbols.ts'
import type { Candidate, WithRow, WithText } from '../candidate.ts'
import { dropNoise, namesWithin, shortenExcerpt, symbolLine } from './brief.ts'
import type { QueryFocus } from './focus.ts'
import { withoutRepeats } from './near-copy.ts'
import { sectionAt, type Outline } from './outline.ts'

type Hit = Candidate & WithRow & WithText

/** A hit with its whole text and its page's outline. */
type Shown = { hit: Hit; outline: Outline }

type Fitting = {
  /** Maximum number of characters per hit, by rank. The last size applies to later hits. */
  sizes: readonly number[]
  focus: QueryFocus
  wantsCode: boolean
  wantsExample: boolean
}

/** A symbol whose text may have at most this many characters is shown on one line. */
const mostLine = 200

/** Maximum number of symbols below the first hit. */
const mostRelated = 3

/**
 * Shortens hits to the given sizes. Symbols that belong to the first hit are shown on a line below
 * it instead of as separate hits.
 */
export function fitHits(shown: readonly Shown[], fitting: Fitting): Hit[] {
  const [first, ...others] = withoutRepeats(shown.map((one, i) => fit(one, i, fitting)))
  if (first === undefined) return []
  const related = others.filter((it) => it.line !== null && isRelated(first, it))
  const below = related.slice(0, mostRelated)
  const lines = below.map((it) => `[${symbolOf(it)}] ${it.line}`)
  const text = [first.text, ...lines].join('\n\n')
  return [{ ...first, text }, ...others.filter((it) => !below.includes(it))]
}

function fit({ hit, outline }: Shown, index: number, fitting: Fitting) {
  const { sizes, focus, wantsCode, wantsExample } = fitting
  // A part of a third example is rarely useful.
  const at = wantsExample && index > 1 ? index + 1 : index
  const most = sizes[Math.min(at, sizes.length - 1)]!
  const { markup } = outline
  const isApi = isApiPagePath(hit.row.url)
  const content = dropNoise({ text: hit.text, markup }, { isApi })
  const text = isApi && index > 0 && content.length > most ? firstSymbol(content) : content
  const page = { title: hit.row.title, text: outline.text }
  const line = isApi ? symbolLine(text, { terms: focus.terms, most, page }) : null
  const short = most <= mostLine ? line : null
  const shortened =
    short ?? shortenExcerpt({ text, markup }, { focus, most, wantsCode, wantsExample })
  const left = isApi && index === 0 ? omittedMembers(outline, hit, shortened) : ''
  const whole = left === '' ? shortened : `${shortened}\n\nOther members: ${left}`
  return { ...hit, text: whole, line, name: isApi ? lastPart(symbolOf(hit)) : undefined }
}

/** Maximum number of characters of the names that a cut list of members lacks. */
const mostOmitted = 250

/** Matches the name of a list item such as `- `name?: string``, but no qualified name. */
const listedMember = /^- `(?:readonly )?([\w$]+)(?![\w$.#/]|::)[^`]*`/gm

/** Returns the names of the symbol's listed members, such as options, that its text lacks. */
function omittedMembers(outline: Outline, { row }: Hit, shown: string): string {
  const { start, end } = outline.sections[sectionAt(outline, row.start_offset)]!
  const listed = outline.text.slice(start, end).matchAll(listedMember)
  const words = new Set(shown.match(/[\w$]+/g))
  const names = [...listed].map(([, name]) => name!).filter((name) => !words.has(name))
  return namesWithin([...new Set(names)], mostOmitted)
}

/** Returns the symbol that names a hit, without the symbols that follow it. */
function firstSymbol(text: string): string {
  return text.split(/\n\n(?=## `)/)[0]!
}

/** True if one hit names the other, or if both are members of one class or module. */
function isRelated(first: Hit, other: Hit): boolean {
  if (first.row.url === other.row.url) return true
  const isApi = isApiPagePath(first.row.url)
  return (
    ownersOf(other).some((name) => mentions(first.text, name)) ||
    (isApi && ownersOf(first).some((name) => mentions(other.row.content, name)))
  )
}

function symbolOf({ row }: Hit): string {
  return row.heading.split(' > ').at(-1) || row.title
}

/** Returns the names of a symbol and its class, without their modules. */
function ownersOf(hit: Hit): string[] {
  return [...new Set([lastPart(symbolOf(hit)), lastPart(hit.row.title)])]
}

/** True if the text contains the name. A plain word counts only as a function name. */
function mentions(text: string, name: string): boolean {
  const isPlain = /^\p{Ll}+$/u.test(name)
  const end = isPlain ? String.raw`\(` : String.raw`(?![\p{L}\p{N}_$])`
  return new RegExp(String.raw`(?<![\p{L}\p{N}_$])${RegExp.escape(name)}${end}`, 'u').test(text)
}
