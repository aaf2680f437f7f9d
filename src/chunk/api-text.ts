import { oneLine } from '../platform/text/trim.ts'
import { lastPart, listedMembers } from '../api/page-symbols.ts'
import { firstSentence } from '../api/render.ts'
import { wordPartPattern } from './terms.ts'

type SymbolChunk = { title: string; heading: string; content: string }

/** Maximum number of characters in prose, in a list item and in a signature. */
const most = { prose: 700, item: 160, signature: 200 }

/**
 * Returns the text to embed for a chunk of the API reference: the name, also as words, then the
 * prose, then the beginning of the signature. A signature with ten lines of generics would
 * otherwise dominate the embedding, although no question contains its words.
 */
export function apiText({ title, heading, content }: SymbolChunk): string {
  const name = shortName(heading.split(' > ').at(-1)!, title)
  const words = (name.match(wordPartPattern) ?? []).join(' ').toLowerCase()
  const { signature, prose } = partsOf(content)
  const lines = [words === name ? name : `${name}: ${words}`, prose, signature]
  return lines.filter((line) => line !== '').join('\n')
}

/** True if a chunk of the API reference has a sentence besides its name and signature. */
export function hasProse(content: string): boolean {
  return partsOf(content).prose !== ''
}

/**
 * Matches lines that og adds to symbols: other names, inherited members, titles of lists. They
 * repeat names and explain nothing.
 */
const addedLine =
  /^(?:#|Also `|Inherited from `|Since |Not exported: |Internal: |\*\*[^*]+\*\*\s*$)/

type Trait = 'isType' | 'isHidden' | 'isBare' | 'isFailure' | 'isComputed'

/** The declaration of an error class, by its own name or that of its base class. */
const failureClass = /\n`{3,}\w*\nclass [^\n]*(?:Error|Exception|Warning)\b/

/**
 * Returns how a chunk of the API reference documents its first symbol. A type or interface usually
 * describes a parameter or a return value. A hidden symbol is internal or not exported. A bare one
 * has only a name and a signature. A failure is the class of an error. A computed member such as
 * `Map.[Symbol.iterator]` has no name to look up. `size` excludes members of other types and other
 * names.
 */
export function traitsOf(text: string): Record<Trait, boolean> & { size: number } {
  const content = text.replace(listedMembers, '')
  const first = content.trim().split(/\n(?=## )/)[0]!
  const lines = first.replace(/^`{3,}[^]*?\n`{3,}$/gm, '').split('\n')
  return {
    isType: /\n`{3,}\w*\n(?:type|interface) /.test(first),
    isComputed: /^#{1,2} `[^`\n]+\.\[[^`\n]+\]`/.test(first),
    isFailure: failureClass.test(first),
    isHidden: lines.some((line) => /^(?:Not exported|Internal): /.test(line)),
    isBare: lines.every((line) => line.trim() === '' || addedLine.test(line)),
    size: content.replace(/^(?:Also|Inherited from) `.*\n*/gm, '').length,
  }
}

/**
 * Returns a member with its class (`ZodString.min`), and any other symbol without its module. The
 * same function in two modules then has the same embedding. `title` is the page title, which is the
 * name of the class or module.
 */
export function shortName(name: string, title: string): string {
  const isMember = /^\p{Lu}/u.test(lastPart(title)) && name.length > title.length
  return isMember ? lastPart(title) + name.slice(title.length) : lastPart(name)
}

function partsOf(content: string): { signature: string; prose: string } {
  const body = content
    .trim()
    .replace(listedMembers, '')
    .replace(/^#.*\n+/, '')
  const [fence = '', code = ''] = /^`{3,}.*\n([^]*?)\n`{3,}(?:\n|$)/.exec(body) ?? []
  const paragraphs = body
    .slice(fence.length)
    .split(/\n\s*\n/)
    .filter((it) => !/^\s*(?:`{3}|Also `|Since |\*\*\w+\*\*\s*$)/.test(it))
  return {
    signature: oneLine(code).slice(0, most.signature),
    prose: paragraphs.map(briefParagraph).join('\n').slice(0, most.prose).trim(),
  }
}

/** Reduces a list item, such as a parameter or an attribute, to its first sentence. */
function briefParagraph(paragraph: string): string {
  if (!/^\s*- /.test(paragraph)) return oneLine(paragraph)
  return paragraph
    .split(/\n(?=- )/)
    .map((item) => firstSentence(item.replace(/^\s*- /, '')).slice(0, most.item))
    .join(' ')
}
