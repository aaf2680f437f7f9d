import { isRecord } from '../../platform/json.ts'
import type { Generator, MarkupPage, ReadText } from './generator.ts'
import { rewriteMarkdown } from './markdown-lines.ts'
import { resolveGlobs, resolveInFolder, resolveSubfolder, rootForFileName } from './site-path.ts'
import { mapAt, parseYamlData, scalarsOf, stringsOf } from './yaml-data.ts'

/** docs-builder of Elastic: `docset.yml`, with MyST directives. Partials are in `_snippets`. */
export const elastic: Generator = {
  name: 'docs-builder',
  rootOf: (path) => rootForFileName(path, ['docset.yml', '_docset.yml']),
  async read({ text, root }, read) {
    const settings = await parseYamlData(text)
    if (settings === null || !Array.isArray(settings.toc)) return null
    const start = root === '' ? '' : `${RegExp.escape(root)}/`
    return {
      bases: [root],
      variables: scalarsOf(mapAt(settings, 'subs')),
      order: await orderOf(settings.toc, { folder: root, read, depth: 0 }),
      partials: new RegExp(`^${start}(?:[^]*/)?_snippets/`),
      partialGlobs: resolveGlobs(root, stringsOf(settings.exclude)),
    }
  },
  toMarkup: (text, page) => elasticToMarkdown(text, page),
}

type Toc = { folder: string; read: ReadText; depth: number }

/** The pages of a table of contents, which may name other files with tables of contents. */
async function orderOf(items: unknown, { folder, read, depth }: Toc): Promise<string[]> {
  if (!Array.isArray(items) || depth > tocDepth) return []
  const order: string[] = []
  for (const item of items) {
    const { file, hidden, folder: below, toc, children } = isRecord(item) ? item : {}
    for (const path of stringsOf(file ?? hidden)) order.push(resolveInFolder(folder, path) ?? '')
    const inner = stringsOf(toc ?? below)[0]
    const place = inner === undefined ? folder : resolveSubfolder(folder, inner)
    if (place === null) continue
    const at = { folder: place, read, depth: depth + 1 }
    order.push(...(await orderOf(children, at)))
    const nested = toc === undefined ? null : await read(resolveInFolder(place, 'toc.yml')!)
    const settings = nested === null ? null : await parseYamlData(nested)
    order.push(...(await orderOf(settings?.toc, at)))
  }
  return order.filter((path) => path !== '')
}

const tocDepth = 10

/**
 * Fills in substitutions, also in code that asks for them, and turns `# Title [anchor]` into a
 * heading with an anchor. Removes comments, which are lines that begin with `%`.
 */
function elasticToMarkdown(text: string, { site, front }: MarkupPage): string {
  const value = (name: string) => front?.get(`sub.${name}`) ?? site.variables.get(name)
  const filled = (line: string) =>
    line.replace(
      /\{\{\s*([\w.-]{1,100})\s*(?:\|[^{}\n]{0,100})?\}\}/g,
      (whole, name: string) =>
        value(name.toLowerCase()) ??
        (/^(?:product|version)\./.test(name) ? name.slice(name.indexOf('.') + 1) : whole),
    )
  return rewriteMarkdown(text, {
    prose: (line) => (/^%(?:\s|$)/.test(line) ? null : filled(withPlainLinks(withAnchor(line)))),
    code: (line, options) => (/\bsubs\s*=\s*"?true\b/.test(options) ? filled(line) : line),
  })
}

function withAnchor(line: string): string {
  return line.replace(/^(#{1,6}[ \t]+\S.*?)[ \t]+\[#?([\w.:-]+)\][ \t]*$/, '$1 {#$2}')
}

/** Gives a link without text, `[](docs-content://a/b-c.md)`, the name of its file as its text. */
function withPlainLinks(line: string): string {
  return line.replace(/(?<!!)\[\]\(([^()\s]{1,1000})\)/g, (_, url: string) => {
    const name = url.replace(/[?#].*$/, '').replace(/(?:\/index)?(?:\.md)?$/, '')
    const words = name.slice(name.lastIndexOf('/') + 1).replaceAll(/[-_]/g, ' ')
    return `[${words}](${url})`
  })
}
