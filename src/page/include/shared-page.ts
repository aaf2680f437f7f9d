import { withoutFrontBlock } from '../front-block.ts'
import type { FrontMatter } from '../front-matter.ts'
import { parentFolder, withoutOrderNumbers } from '../generator/site-path.ts'
import { anyComment } from '../markdown/comment.ts'
import type { IncludedFiles } from './include-file.ts'

/**
 * The text of the page that a page without text names as its `source`, as pages of Next.js do for
 * two routers; null if there is none. The name leaves out the numbers that order the files.
 */
export async function sharedText(
  { text, values }: Pick<FrontMatter, 'text' | 'values'>,
  includes: IncludedFiles | undefined,
): Promise<string | null> {
  const source = values.get('source') ?? ''
  const isName = /^[\w@.-]+(?:\/[\w@.-]+)+$/.test(source)
  if (!isName || includes?.titles === undefined || text.replace(anyComment, '').trim() !== '') {
    return null
  }
  const queries: string[] = []
  for (let at = parentFolder(includes.from); ; at = parentFolder(at)) {
    queries.push(`${withoutOrderNumbers(at === '' ? source : `${at}/${source}`)}#`)
    if (at === '') break
  }
  const [target] = await includes.titles([queries])
  if (!target || target.path === includes.from) return null
  const shared = await includes.read(target.path)
  return shared === null ? null : withoutFrontBlock(shared)
}
