import type { DocsSite, Generator, ReadText } from './generator.ts'
import { rewriteMarkdown, type Mark, withMarks } from '../document/markdown-lines.ts'
import { localComponents } from './local-component.ts'
import { quartoToMarkdown } from './quarto.ts'
import { linkedPaths, summaryNavigation } from './nav-order.ts'
import { resolveInFolder, resolveSubfolder } from './site-path.ts'

/** A site generator as data. To add one, write a row and a test with a page of such a site. */
type SiteRow = {
  /** The name that users see. */
  name: string
  /** Matches the path of a configuration file, relative to the site's root. */
  config: RegExp
  /** Matches the configuration's content. Other programs can have files with the same name. */
  contains?: RegExp
  /** The folder of the pages: group 1 of `setting`, or else `pages`; '.' is the root. */
  pages?: string
  setting?: RegExp
  /** Additional folders of the site, relative to the root. */
  folders?: readonly string[]
  /** Additional base folders of include paths. */
  bases?: readonly string[]
  /** Matches files that are parts of pages. */
  partials?: RegExp
  /** Matches a word in the configuration after which it lists pages. */
  navigation?: RegExp
  /** Matches the setting for the file with all pages (group 1), by default `SUMMARY.md`. */
  summary?: RegExp
  marks?: readonly Mark[]
  /** Converts the text after `marks` were replaced. */
  toMarkup?: Generator['toMarkup']
  /** True if another generator, with its configuration in the same folder, builds the site. */
  isSecondary?: true
  removesCodeMarks?: true
}

const script = String.raw`\.[cm]?[jt]s$`

/** Generators that need no code. */
const siteRows = {
  fumadocs: {
    name: 'Fumadocs',
    removesCodeMarks: true,
    config: new RegExp(String.raw`(?:^|/)source\.config${script}`),
    contains: /fumadocs/,
    folders: ['content'],
    // A heading can end with its id, and with marks for the table of contents and for steps.
    marks: [
      { in: /^#{1,6}[ \t].*\]\s*$/, open: /(?:[ \t]+\[(?:!?toc|step)\])+\s*$/, becomes: '' },
      { in: /^#{1,6}[ \t].*\]\s*$/, open: /[ \t]+\[#([^\s[\]]{1,200})\]\s*$/, becomes: ' {#$1}' },
    ],
  },
  gitbook: {
    name: 'GitBook',
    config: /(?:^|\/)(?:\.gitbook\.ya?ml|book\.json)$/,
    // A `book.json` can also contain data about books.
    contains: /^\s*\{|^[\w-]+:|^\s*(?:#|$)/,
    setting: /^root:[ \t]*["']?\.?\/?([^\s"']+)/m,
    summary: /^[ \t]+summary:[ \t]*["']?\.?\/?([^\s"']+)/m,
    partials: /(?:^|\/)\.gitbook\//,
  },
  mintlify: {
    name: 'Mintlify',
    removesCodeMarks: true,
    config: /(?:^|\/)(?:docs|mint)\.json$/,
    contains: /"\$schema"\s*:\s*"[^"]*mintlify|"navigation"\s*:/,
    navigation: /"navigation"/,
    partials: /(?:^|\/)snippets\//,
  },
  nuxt: {
    name: 'Nuxt Content',
    removesCodeMarks: true,
    config: new RegExp(String.raw`(?:^|/)nuxt\.config${script}`),
    contains: /@nuxt\/content|docus|@nuxt\/ui-pro/,
    folders: ['content'],
    partials: /\/_[^/]*\.(?:md|ya?ml)$|\/_[^/]+\//,
  },
  // bookdown books, and articles of R packages.
  rmarkdown: {
    name: 'R Markdown',
    isSecondary: true,
    config: /(?:^|\/)(?:_bookdown\.yml|DESCRIPTION)$/,
    contains: /^(?:Package:[ \t]*\w|[a-z]\w*:)/m,
    partials: /(?:^|\/)_[^/]+\.Rmd$/i,
    marks: [{ open: /\\@ref\(([\w:-]{1,200})\)/, becomes: '$1' }],
    toMarkup: quartoToMarkdown,
  },
  starlight: {
    name: 'Starlight',
    config: new RegExp(String.raw`(?:^|/)astro\.config${script}`),
    contains: /starlight/i,
    pages: 'src/content/docs',
    folders: ['src/content'],
    bases: ['.', 'src'],
    navigation: /\bsidebars?\b/,
  },
  vitepress: {
    name: 'VitePress',
    removesCodeMarks: true,
    config: new RegExp(String.raw`(?:^|/)\.vitepress/config${script}`),
    setting: /\bsrcDir\s*:\s*["'`]([^"'`$\n]{1,200})["'`]/,
    folders: ['.'],
    bases: ['.'],
    navigation: /\bsidebars?\b/,
  },
} satisfies Record<string, SiteRow>

export const rowGenerators = Object.fromEntries(
  Object.entries(siteRows).map(([name, row]) => [name, generatorOf(row)]),
) as Record<keyof typeof siteRows, Generator>

function generatorOf(row: SiteRow): Generator {
  const { name, config, contains, marks = [], toMarkup, isSecondary, removesCodeMarks } = row
  return {
    name,
    rootOf(path) {
      const at = config.exec(path)?.index
      return at === undefined ? null : path.slice(0, at)
    },
    read: async ({ text, root }, read) =>
      contains?.test(text) === false ? null : await siteOf(row, { text, root, read }),
    ...(isSecondary && { isSecondary }),
    ...(removesCodeMarks && { removesCodeMarks }),
    inheritValues: localComponents.inheritValues,
    toMarkup(sourceText, page) {
      const text = localComponents.toMarkup(sourceText, page)
      const marked =
        marks.length === 0
          ? text
          : rewriteMarkdown(text, { prose: (line) => withMarks(line, marks) })
      return toMarkup?.(marked, page) ?? marked
    },
  }
}

type Config = { text: string; root: string; read: ReadText }

async function siteOf(
  row: SiteRow,
  { text, root, read }: Config,
): Promise<Partial<DocsSite> | null> {
  const { folders, bases = [], partials, navigation, summary } = row
  const pages = resolveSubfolder(root, row.setting?.exec(text)?.[1] ?? row.pages ?? '.')
  if (pages === null) return null
  const inRoot = (paths: readonly string[]) =>
    paths.map((path) => resolveSubfolder(root, path)).filter((path) => path !== null)
  const at = navigation === undefined ? -1 : text.search(navigation)
  return {
    folders: folders === undefined ? [pages] : inRoot(folders),
    bases: [...new Set([...inRoot(bases), pages])],
    ...(navigation && linkedPaths({ text: at < 0 ? '' : text.slice(at), folders: [pages] })),
    ...(summary &&
      (await summaryOf(resolveInFolder(pages, summary.exec(text)?.[1] ?? 'SUMMARY.md'), read))),
    ...(partials && { partials }),
  }
}

async function summaryOf(path: string | null, read: ReadText) {
  const summary = path === null ? null : await read(path)
  if (path === null || summary === null) return { titles: new Map<string, string>() }
  return summaryNavigation(summary, resolveInFolder(path, '..') ?? '')
}
