import { oneLine } from '../platform/text/trim.ts'
import { plainMarkdown } from '../document/inline.ts'
import type { DocsSite } from './generator.ts'
import { resolveInFolder } from './site-path.ts'

type NavText = {
  /** A configuration or a part of one, which may be a program and is never executed. */
  text: string
  /** The folders to which its links are relative. */
  folders: readonly string[]
}

/** The order of the pages, and the labels of the sections above them. */
type Navigation = Required<Pick<DocsSite, 'order' | 'sections'>>

/**
 * Returns the paths, without extension, that the quoted strings in a configuration may mean, in
 * their order: `'/guide/a'` is `guide/a` or `guide/a/index`. Strings that are not links give paths
 * that do not exist. The label of an object that encloses a list is the section of the links in the
 * list.
 */
export function linkedPaths({ text, folders }: NavText): Navigation {
  const sections = new Map<string, string>()
  const links = linksIn(text.slice(0, textLimit)).take(linkLimit).toArray()
  const order = links.flatMap(({ written, around }) => {
    if (/^[a-z]+:|^#|\s/i.test(written)) return []
    const name = written.replace(/[?#].*$/, '').replace(/\/$|\.(?:html|mdx?)$/, '')
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

/** A brace or bracket, with the label of the object, or of the list as the value of a key. */
type Frame = { isList: boolean; label: string }
type Link = { written: string; around: Frame[] }

/** Yields the quoted strings in a configuration, each with the objects and lists around it. */
function* linksIn(text: string): Generator<Link> {
  const frames: Frame[] = []
  let key = ''
  for (const { 0: token, index, 2: written } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      frames.push({ isList: token === '[', label: token === '[' ? key : '' })
      if (frames.length > mostFrames) return
    } else if (token === '}' || token === ']') frames.pop()
    key = ''
    if (written === undefined) continue
    const frame = frames.at(-1)
    if (labelKey.test(text.slice(Math.max(0, index - 40), index))) {
      if (frame !== undefined) frame.label = written
    } else if (/^\s*:/.test(text.slice(index + token.length, index + token.length + 20))) {
      // A Docusaurus category may be the key of its list; other keys are names or URLs.
      if (/[A-Z\s]/.test(written)) key = written
    } else {
      const around = frames.filter(({ isList }, i) => isList || frames[i + 1]?.isList)
      yield { written, around }
    }
  }
}

const labelKey = /(?:^|[\s{,])["']?(?:text|label|group|title|section|header)["']?\s*:\s*$/
const mostFrames = 500

const tokens = /[{}[\]]|(["'`])([^"'`$\n]{1,200})\1/g
/** How many characters of a configuration are searched. */
const textLimit = 400_000
const linkLimit = 5000

/**
 * Returns the navigation in the `SUMMARY.md` of `folder`, which lists pages as `-
 * [Title](path.md)`: their titles, and the headings and the pages above them.
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
