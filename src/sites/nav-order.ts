import { oneLine } from '../platform/text/trim.ts'
import { plainMarkdown } from '../document/inline.ts'
import type { DocsSite } from './generator.ts'
import { resolveInFolder } from './site-path.ts'

type NavText = {
  /** A configuration or a part of one. It may be a program, which is never executed. */
  text: string
  /** Base folders of its links. */
  folders: readonly string[]
}

/** The order of pages, and the labels of their sections. */
type Navigation = Required<Pick<DocsSite, 'order' | 'sections'>>

/**
 * Returns the possible paths, without extension, of quoted strings in a configuration: `'/guide/a'`
 * is `guide/a` or `guide/a/index`. Strings that are not links produce missing paths. The label of
 * an object with a list is the section of the links in it.
 */
export function linkedPaths({ text, folders }: NavText): Navigation {
  const sections = new Map<string, string>()
  const links = linksIn(text.slice(0, textLimit)).take(linkLimit).toArray()
  const order = links.flatMap(({ target, around }) => {
    if (/^[a-z]+:|^#|\s/i.test(target)) return []
    const name = target.replace(/[?#].*$/, '').replace(/\/$|\.(?:html|mdx?)$/, '')
    const paths = folders.flatMap((folder) => [
      resolveInFolder(folder, name),
      resolveInFolder(folder, `${name}/index`),
    ])
    const candidates = paths.filter((path) => path !== null)
    const section = sectionOf(around.map(({ label }) => label))
    for (const path of candidates) if (!sections.has(path)) sections.set(path, section)
    return candidates
  })
  return { order: [...new Set(order)], sections }
}

/** Formats labels for `DocsSite.sections`. */
export function sectionOf(labels: readonly string[]): string {
  const lines = labels.map((it) => oneLine(it).replace(/^\/+/, ''))
  return lines
    .filter((it) => it !== '')
    .slice(0, mostLabels)
    .join('\n')
}

const mostLabels = 20

/** An open bracket, with the label of its object or the key of its list. */
type Frame = { isList: boolean; label: string }
type Link = { target: string; around: Frame[] }

/** Yields the quoted strings in a configuration with their enclosing objects and lists. */
function* linksIn(text: string): Generator<Link> {
  const frames: Frame[] = []
  let key = ''
  for (const { 0: token, index, 2: target } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      frames.push({ isList: token === '[', label: token === '[' ? key : '' })
      if (frames.length > mostFrames) return
    } else if (token === '}' || token === ']') frames.pop()
    key = ''
    if (target === undefined) continue
    const frame = frames.at(-1)
    if (labelKey.test(text.slice(Math.max(0, index - 40), index))) {
      if (frame !== undefined) frame.label = target
    } else if (/^\s*:/.test(text.slice(index + token.length, index + token.length + 20))) {
      // The key of a list can be a Docusaurus category. Other keys are names or URLs.
      if (/[A-Z\s]/.test(target)) key = target
    } else {
      const around = frames.filter(({ isList }, i) => isList || frames[i + 1]?.isList)
      yield { target, around }
    }
  }
}

const labelKey = /(?:^|[\s{,])["']?(?:text|label|group|title|section|header)["']?\s*:\s*$/
const mostFrames = 500

const tokens = /[{}[\]]|(["'`])([^"'`$\n]{1,200})\1/g
/** Maximum number of characters of a configuration to search. */
const textLimit = 400_000
const linkLimit = 5000

/**
 * Returns the navigation in the `SUMMARY.md` of `folder`, which lists pages as `-
 * [Title](path.md)`: titles, headings and parent pages.
 */
export function summaryNavigation(
  summary: string,
  folder: string,
): Required<Pick<DocsSite, 'titles' | 'sections'>> {
  const titles = new Map<string, string>()
  const sections = new Map<string, string>()
  let part = ''
  const above: { columns: number; step: string }[] = []
  for (const line of summary.split('\n')) {
    const [, heading] = /^#{1,6}\s+(\S.*)$/.exec(line) ?? []
    // The first heading is the title of the summary.
    if (heading !== undefined && titles.size > 0) part = plainMarkdown(heading)
    const [, indent = '', title, target = ''] =
      /^(\s*)(?:(?:[-*+]|\d+[.)])\s+)?\[(.*)\]\(<?([^()<>]*)>?\)\s*$/.exec(line) ?? []
    if (title === undefined) continue
    while (above.length > 0 && above.at(-1)!.columns >= indent.length) above.pop()
    const path = target === '' ? null : resolveInFolder(folder, target.replaceAll('%20', ' '))
    const steps = above.map(({ step }) => step).filter((step) => step !== '')
    above.push({ columns: indent.length, step: path === null ? '' : `/${path}` })
    if (path === null) continue
    titles.set(path, plainMarkdown(title))
    if (sections.has(path)) continue
    const label = sectionOf([part])
    sections.set(path, [...(label === '' ? [] : [label]), ...steps].join('\n'))
  }
  return { titles, sections }
}
