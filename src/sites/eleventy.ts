import { replaceOutsideCode } from '../document/code-span.ts'
import { toTitle } from '../document/block-lines.ts'
import { fenceCode } from '../document/fence.ts'
import { rewriteProse } from '../document/markdown-lines.ts'
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
  return rewriteProse(text, (prose) => {
    const [first = '', ...rest] = prose.split(block)
    const out: string[] = []
    const push = (lines: string) => {
      if (lines !== '') out.push(shownLines(lines, values))
    }
    push(first.replace(/\n$/, ''))
    for (let at = 0; at < rest.length; at += 4) {
      const [name, value = '', content = '', after = ''] = rest.slice(at, at + 4)
      const code = content.replace(rawTag, '')
      if (name === 'set') values.set(value, code)
      else out.push('', fenceCode(code, value), '')
      push(after.replace(/\n$/, ''))
    }
    return out.join('\n')
  })
}

/** The code between `{% set name %}` or `{% highlight "js" %}` and its closing tag. */
const block = new RegExp(
  String.raw`^[ \t]*\{%-?\s*(set|highlight)\s+["']?([\w-]+)["']?[^%=]*-?%\}` +
    String.raw`([^]{0,10000}?)\{%-?\s*end\1\s*-?%\}[^\n]*\n?`,
  'm',
)
const rawTag = /\{%-?\s*(?:end)?raw\s*-?%\}/g

const shownCode = /\{\{-?\s*(\w+)\s*\|\s*highlight\(\s*["']([\w+#-]+)["']\s*\)[^{}]*\}\}/g

/** A line that contains only the tag of a custom element, such as `<is-land on:visible>`. */
const customElement = /^\s*<\/?[a-z]+-[\w-]*(?:\s[^<>]*)?>\s*$/

function shownLines(text: string, values: ReadonlyMap<string, string>): string {
  return text
    .split('\n')
    .map((line) => shownLine(line, values))
    .join('\n')
}

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
