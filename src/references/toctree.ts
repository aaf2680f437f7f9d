import { hasPageExtension } from '../formats/formats.ts'
import { markdownHeadings } from '../document/headings.ts'
import { rstHeadings } from '../formats/rst/rst.ts'
import { bodyEnd } from '../formats/rst/rst-part.ts'
import { parentFolder, resolveInFolder } from '../sites/site-path.ts'

type ToctreePage = {
  path: string
  /** True for reStructuredText, false for MyST. */
  isRst: boolean
  /** The base folder of targets such as `/guide/a`. */
  root: string
}

/**
 * Returns the contents trees of a Sphinx page, one entry per line; '' if it has none. An entry is
 * `# caption`, `## heading` of the section, or the path of a page without extension. The path can
 * be a glob, and a tab and a title can follow it.
 */
export function toctreeOf(text: string, page: ToctreePage): string {
  if (!text.includes('toctree')) return ''
  const lines = text.split('\n')
  const titles = page.isRst ? rstHeadings(text) : /^#/m.test(text) ? markdownHeadings(text) : []
  const out: string[] = []
  let [offset, nPassed] = [0, 0]
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    offset += line.length + 1
    while (nPassed < titles.length && titles[nPassed]!.offset < offset) nPassed++
    const [, ...code] = (!page.isRst && codeFence.exec(line)) || []
    const opening = directive.exec(line)
    const fence = code.find(Boolean) ?? opening?.[1]
    if (opening === null && fence === undefined) continue
    const end = fence === undefined ? bodyEnd(lines, at) : fenceEnd(lines, at, fence)
    const inner = lines.slice(at + 1, end)
    const heading = nPassed > 1 ? titles[nPassed - 1]!.title : ''
    if (opening !== null) out.push(...entriesOf(inner, { ...page, heading }))
    const next = fence === undefined ? end : end + 1
    for (const skipped of lines.slice(at + 1, next)) offset += skipped.length + 1
    at = next - 1
    if (out.length > mostEntries) return out.slice(0, mostEntries).join('\n')
  }
  return out.join('\n')
}

/** Matches a directive without indentation, because an indented one may be part of an example. */
const directive = /^(?:\.\.[ \t]+toctree::|(`{3,}|:{3,}|~{3,})\{toctree\})[ \t]*$/
/** A code fence, or the fence of a directive that contains code. */
const codeFence = /^(`{3,}|~{3,})(?!\{)[^`]*$|^(`{3,}|~{3,})\{(?:code|literal|parsed|example)/
const mostEntries = 2000

function fenceEnd(lines: readonly string[], at: number, fence: string): number {
  for (let to = at + 1; to < lines.length; to++) {
    if (lines[to]!.trim().startsWith(fence)) return to
  }
  return lines.length
}

/** Returns a tree's label and entries; empty if it lists no page. */
function entriesOf(
  lines: readonly string[],
  { path, root, heading }: ToctreePage & { heading: string },
): string[] {
  let [caption, isReversed] = ['', false]
  const entries: string[] = []
  for (const line of lines) {
    const [, option, value = ''] = /^\s*:?([a-z]+):(?:\s+(.*?))?\s*$/.exec(line) ?? []
    if (option === 'caption') caption = value
    if (option === 'reversed') isReversed = true
    if (option !== undefined || line.trim() === '' || line.trim() === '---') continue
    const [, title = '', target = ''] = /^\s*(?:(\S.*?)\s+)?<([^<>]+)>\s*$/.exec(line) ?? [
      '',
      '',
      line.trim(),
    ]
    if (target === 'self' || /^[a-z]+:/i.test(target)) continue
    const [folder, entry] = target.startsWith('/')
      ? [root, target.slice(1)]
      : [parentFolder(path), target]
    const resolved = resolveInFolder(
      folder,
      hasPageExtension(entry) ? entry.replace(/\.\w+$/, '') : entry,
    )
    if (resolved !== null) entries.push(title === '' ? resolved : `${resolved}\t${title}`)
  }
  if (entries.length === 0) return []
  if (isReversed) entries.reverse()
  const label = caption === '' ? heading && `## ${heading}` : `# ${caption}`
  return label === '' ? entries : [label, ...entries]
}
