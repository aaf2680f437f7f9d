import { replaceOutsideCode } from '../document/code-span.ts'
import { toTitle } from '../document/block-lines.ts'
import { type Fence, fenceAfter, fenceCode } from '../document/fence.ts'
import { withoutFrontBlock } from '../formats/front-block.ts'
import type { Generator } from './generator.ts'
import { resolveSubfolder, rootForFileName } from './site-path.ts'
import type { Include, IncludeFinder } from '../formats/include/include-file.ts'

const configs = ['js', 'cjs', 'mjs', 'ts'].map((it) => `eleventy.config.${it}`)

/** Eleventy: Markdown that is first a Nunjucks or Liquid template, with includes in `_includes`. */
export const eleventy: Generator = {
  name: 'Eleventy',
  rootOf: (path) => rootForFileName(path, [...configs, '.eleventy.js']),
  async read({ text, root }) {
    const input = /\binput:\s*["']([\w./-]{1,200})["']/.exec(text)?.[1] ?? ''
    const includes = /\bincludes:\s*["']([\w./-]{1,200})["']/.exec(text)?.[1] ?? '_includes'
    const folder = resolveSubfolder(root, input) ?? root
    const bases = [resolveSubfolder(folder, includes) ?? folder, folder, root]
    return { folders: [folder], bases, partials: /(?:^|\/)_(?:includes|layouts|data)\// }
  },
  includes: findInclude,
  sign: /\{%-?\s*include/,
  toMarkup: (text) => eleventyToMarkdown(text),
}

/** Finds `{% include "part.njk" %}` on its own line. */
function findInclude(...[lines, { line, fence }]: Parameters<IncludeFinder>): Include | null {
  if (fence !== null) return null
  const [, target] =
    /^\s*\{%-?\s*include\s+["']?([\w./-]+\.\w+)["']?[^%]*-?%\}\s*$/.exec(lines[line] ?? '') ?? []
  if (target === undefined) return null
  const render = (text: string) => ['', ...withoutFrontBlock(text).split('\n'), '']
  return { from: line, to: line + 1, target, render, isMarkup: true }
}

/**
 * Converts Eleventy's template tags to Markdown. Code from `{% set %}` and `highlight` becomes a
 * fence, and notes get a title. Removes other tags. Leaves fences unchanged.
 */
export function eleventyToMarkdown(text: string): string {
  if (!/\{[%{]/.test(text)) return text
  const values = new Map<string, string>()
  const out: string[] = []
  let fence: Fence | null = null
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const wasOpen = fence !== null
    fence = fenceAfter(line, fence)
    const isCode = wasOpen || fence !== null
    const block = isCode ? null : blockOf(lines, at)
    if (block === null) out.push(isCode ? line : shownLine(line, values))
    else {
      if (block.name === 'set') values.set(block.value, block.content)
      else out.push('', fenceCode(block.content, block.value), '')
      at = block.to
    }
  }
  return out.join('\n')
}

/** The value of `set`, or the language of code. */
type Block = { name: string; value: string; content: string; to: number }

const opening = /^\s*\{%-?\s*(set|highlight)\s+["']?([\w-]+)["']?[^%=]*-?%\}/
const rawTag = /\{%-?\s*(?:end)?raw\s*-?%\}/g

/** Returns the code between `{% set name %}` or `{% highlight "js" %}` and its closing tag. */
function blockOf(lines: readonly string[], at: number): Block | null {
  const [whole, name = '', value = ''] = opening.exec(lines[at]!) ?? []
  if (whole === undefined) return null
  const closing = new RegExp(`\\{%-?\\s*end${name}\\s*-?%\\}`)
  for (let to = at; to < Math.min(lines.length, at + mostLines); to++) {
    const end = closing.exec(lines[to]!)
    if (end === null) continue
    const inner = lines.slice(at, to + 1)
    inner[inner.length - 1] = inner.at(-1)!.slice(0, end.index)
    inner[0] = inner[0]!.slice(whole.length)
    return { name, value, content: inner.join('\n').replace(rawTag, ''), to }
  }
  return null
}

/** Longer blocks are not converted. */
const mostLines = 200

const shownCode = /\{\{-?\s*(\w+)\s*\|\s*highlight\(\s*["']([\w+#-]+)["']\s*\)[^{}]*\}\}/g

/** A line that contains only the tag of a custom element, such as `<is-land on:visible>`. */
const customElement = /^\s*<\/?[a-z]+-[\w-]*(?:\s[^<>]*)?>\s*$/

function shownLine(line: string, values: ReadonlyMap<string, string>): string {
  if (customElement.test(line)) return ''
  if (!/\{[%{]/.test(line)) return line
  const tag = /\{%-?\s*(\w+)([^%]{0,1000})%\}/
  const content = replaceOutsideCode(line, tag, ([, name = '', rest = '']) => shownTag(name, rest))
  return content.replace(shownCode, (match, name: string, language: string) => {
    const code = values.get(name)
    return code === undefined ? match : `\n\n${fenceCode(code, language)}\n\n`
  })
}

/** Returns a shortcode's text: the title of a note or of code, or the version of a feature. */
function shownTag(name: string, rest: string): string {
  const words = [...rest.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, a, b]) => a ?? b ?? '')
  const [first = ''] = words
  if (name === 'callout') return `**${words[2] ?? toTitle(first || 'note')}**: `
  if (name === 'codetitle') return `**${words.slice(0, 2).reverse().join(': ')}**\n\n`
  return name === 'addedin' && first !== '' ? `(added in ${first})` : ''
}
