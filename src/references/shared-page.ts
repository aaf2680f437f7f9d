import { withoutFrontBlock } from '../formats/front-block.ts'
import type { FrontMatter } from '../formats/front-matter.ts'
import { parentFolder, withoutOrderNumbers } from '../sites/site-path.ts'
import { anyComment } from '../formats/markdown/comment.ts'
import { missingFileLine } from '../document/not-found.ts'
import type { IncludedFiles } from './include.ts'

/**
 * Returns the text of the page named in the front matter, or null. Next.js names a `source` path
 * without the numbers that sort files. TanStack names a file (`ref`) and words to `replace`; parts
 * between two lines `[//]: # 'Name'` replace the parts with the same names in that file.
 */
export async function sharedText(
  { text, values }: Pick<FrontMatter, 'text' | 'values'>,
  includes: IncludedFiles | undefined,
): Promise<string | null> {
  const source = values.get('source') ?? values.get('ref') ?? ''
  const isName = /^[\w@.-]+(?:\/[\w@.-]+)+$/.test(source)
  if (!isName || includes?.titles === undefined) return null
  const parts = new Map<string, string>()
  const own = mapParts(text, (name, content) => {
    parts.set(name, content)
    return ''
  })
  if (own.replace(anyComment, '').trim() !== '') return null
  const queries: string[] = []
  for (let at = parentFolder(includes.from); ; at = parentFolder(at)) {
    queries.push(`${withoutOrderNumbers(at === '' ? source : `${at}/${source}`)}#`)
    if (at === '') break
  }
  const [target] = await includes.titles([queries])
  const shared = target && target.path !== includes.from ? await includes.read(target.path) : null
  if (shared === null) return parts.size > 0 ? null : missingFileLine(source)
  const whole = replaceWords(withoutFrontBlock(shared), values)
  return mapParts(whole, (name, theirs) => parts.get(name) ?? theirs)
}

const partMark = /^\[\/\/\]: # ['"(]([^'")\n]{1,100})['")][ \t]*$/m

/** Rewrites the text between two marks with the same name, and removes the marks. */
function mapParts(text: string, change: (name: string, content: string) => string): string {
  const [first = '', ...rest] = text.split(partMark)
  let out = first
  for (let at = 0; at < rest.length; at += 2) {
    const [name = '', content = '', closing] = rest.slice(at, at + 3)
    if (name === closing) out += change(name, content) + (rest[at + 3] ?? '')
    else out += content
    if (name === closing) at += 2
  }
  return out
}

/** Replaces words according to the front matter: `replace: { "a-query": "b-query" }`. */
function replaceWords(text: string, values: ReadonlyMap<string, string>): string {
  const words = new Map<string, string>()
  for (const [name, value] of values) {
    const [, word] = /^replace\.(.+)$/s.exec(name) ?? []
    if (word !== undefined && value.length <= mostCharacters) words.set(word, value)
  }
  if (words.size === 0 || text.length > mostReplaced) return text
  const escaped = [...words.keys()].map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return text.replace(new RegExp(escaped.join('|'), 'g'), (word) => words.get(word) ?? word)
}

/** Limits the length of replacements and of the text, because replacing could multiply the text. */
const [mostCharacters, mostReplaced] = [100, 200_000]
