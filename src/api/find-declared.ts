import { memberBlocks } from './in-place.ts'
import { languages } from './language.ts'
import { outlineFile } from './outline.ts'

type Read = (path: string) => Promise<string | null>

/**
 * Finds `declare module "name"` in the project's declaration files and returns its documentation as
 * Markdown, or null. `read` also lists files for a pattern such as `*.ts`.
 */
export async function findDeclaredModule(read: Read, name: string): Promise<string | null> {
  const files = (await listed(read)).filter((path) => path.endsWith('.d.ts'))
  const start = new RegExp(`^declare module (["'])${RegExp.escape(name)}\\1[ \\t]*\\{`, 'm')
  for (const path of files.slice(0, mostFiles)) {
    const text = (await read(path)) ?? ''
    const at = text.search(start)
    if (at < 0) continue
    const end = text.indexOf('\n}', at)
    const outline = await outlineFile(path, text.slice(at, end < 0 ? text.length : end + 2))
    const [module] = outline?.modules ?? []
    if (!module?.outline) return null
    const { symbols } = module.outline
    const choice = { members: 'all', excluded: new Set<string>(), hasInherited: false } as const
    const { style } = languages.typescript
    const blocks = memberBlocks(symbols.filter(style.isShown), { choice, level: 1, style })
    return [module.documentation, ...blocks].filter((it) => it !== '').join('\n\n')
  }
  return null
}

/** Returns the documentation of a name in a file. `file` may be the end of a path. */
export async function findDocumented(
  read: Read,
  { file, name }: { file: string; name: string },
): Promise<string | null> {
  const files = (await listed(read)).filter((path) => `/${path}`.endsWith(`/${file}`))
  for (const path of files.slice(0, mostFiles)) {
    const outline = await outlineFile(path, (await read(path)) ?? '')
    const symbol = outline?.symbols.find((it) => it.name === name)
    if (symbol !== undefined && symbol.documentation !== '') return symbol.documentation
  }
  return null
}

const mostFiles = 50

/** Returns the project's TypeScript files, starting with those nearest to the root. */
async function listed(read: Read): Promise<string[]> {
  const depth = (path: string) => path.split('/').length
  const lists = [await read('*.ts'), await read('*.tsx')].map((list) => list?.split('\n') ?? [])
  const isOwn = (path: string) => !/(?:^|\/)(?:node_modules|tests?|__tests__)\//.test(path)
  return lists
    .flat()
    .filter(isOwn)
    .sort((a, b) => depth(a) - depth(b))
}
