import type { Generator, ReadText } from './generator.ts'
import { fenceCode } from '../../document/fence.ts'
import { parseAttributes } from '../../document/attributes.ts'
import { rewriteProse } from './markdown-lines.ts'
import { linkedPaths } from './nav-order.ts'
import { resolveInFolder, resolveSubfolder, rootForFileName } from './site-path.ts'

/**
 * Docusaurus: `docusaurus.config.js`. Its configuration is a program, so og reads only the paths of
 * folders in it, and the names of pages in its sidebars. Partials and code are imported as in MDX.
 */
export const docusaurus: Generator = {
  name: 'Docusaurus',
  rootOf: (path) =>
    rootForFileName(
      path,
      ['js', 'ts', 'mjs', 'cjs', 'mts'].map((it) => `docusaurus.config.${it}`),
    ),
  async read({ text, root }, read) {
    const written = Array.from(
      text.slice(0, textLimit).matchAll(/\bpath\s*:\s*(["'`])([^"'`$\n]{1,200})\1/g),
      ([, , path = '']) => resolveSubfolder(root, path),
    )
    const paths = written.filter((path) => path !== null && path !== '')
    const folders = [...new Set([root, ...paths] as string[])]
    const sidebar = await sidebarText(text, root, read)
    const docs = [...paths, resolveSubfolder(root, 'docs')] as string[]
    const nav = linkedPaths({ text: sidebar, folders: docs })
    return { folders, bases: [root, ...paths] as string[], partials, ...nav }
  },
  toMarkup: (text) => (text.includes('<CodeBlock') ? withCode(text) : text),
}

/** Converts `<CodeBlock>` with a template string to a fence. */
function withCode(text: string): string {
  const fenced = (written: string, attributes: string, code: string) => {
    const { language = '', title = '' } = Object.fromEntries(parseAttributes(attributes))
    const plain = code.replace(/\\([`$\\])/g, '$1')
    const fence = fenceCode(plain, language)
    return fence === ''
      ? written
      : fence.replace('\n', () => (title === '' ? '\n' : ` title="${title}"\n`))
  }
  return rewriteProse(text, (prose) => prose.replace(codeBlock, fenced))
}

const codeBlock =
  /<CodeBlock((?:\s+\w+="[^"<>]{0,200}")*)\s*>\s*\{`((?:[^`\\]|\\[^]){0,5000})`\}\s*<\/CodeBlock>/g

/** The text of the file that `sidebarPath` names, or of `sidebars.*`; '' if there is none. */
async function sidebarText(text: string, root: string, read: ReadText): Promise<string> {
  const written = Array.from(
    text.slice(0, textLimit).matchAll(sidebarPath),
    ([, , path = '']) => path,
  )
  const names = ['js', 'ts', 'json'].map((extension) => `sidebars.${extension}`)
  for (const name of [...written.slice(0, 5), ...names]) {
    const path = resolveInFolder(root, name)
    const sidebar = path === null ? null : await read(path)
    if (sidebar !== null) return sidebar
  }
  return ''
}

const sidebarPath = /\bsidebarPath\s*:\s*(?:require\.resolve\(\s*)?(["'`])([^"'`$\n]{1,200})\1/g

/** The number of characters of the configuration that are searched. */
const textLimit = 200_000

/** Files and folders whose names begin with an underscore are not pages. */
const partials = /(?:^|\/)_[^/]*\.mdx?$|\/_[^/]+\//
