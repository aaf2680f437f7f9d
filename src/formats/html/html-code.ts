import type { HtmlElement } from './article.ts'
import { fenceCode } from '../../document/fence.ts'

/** Converts a `pre` to a fence with its language; '' if it is blank. */
export function preToFence(pre: HtmlElement): string {
  for (const line of pre.querySelectorAll('br')) line.replaceWith('\n')
  for (const number of pre.querySelectorAll('[style*="user-select:none"]'))
    if (isNumbers(number.textContent)) number.remove()
  const source = pre.textContent ?? ''
  const lines = linesOf(pre)
  const isOneLine = lines.length > 1 && !source.trim().includes('\n')
  const code = isOneLine ? lines.map((line) => line.textContent ?? '').join('\n') : source
  return fenceCode(code, languageOf(pre))
}

/** Converts a Doxygen listing, in which each line is an element, to a fence. */
export function listingToFence(listing: HtmlElement): string {
  const lines = linesOf(listing).map((line) => line.textContent ?? '')
  // Doxygen puts a no-break space after each line number.
  const isNumbered = lines.every((line) => line.startsWith('\u00a0'))
  const code = lines.map((line) => (isNumbered ? line.slice(1) : line)).join('\n')
  return fenceCode(code.replaceAll('\u00a0', ' '), '')
}

/**
 * Converts a table with numbered lines to a fence. Returns null for other tables. Each row has one
 * cell with class `code`, and all others are numbers.
 */
export function codeTable(table: HtmlElement, rows: readonly HtmlElement[]): string | null {
  const lines: string[] = []
  for (const row of rows) {
    const cells = [...row.children]
    const code = cells.findLast((cell) => codeCell.test(cell.getAttribute('class') ?? ''))
    const isListing = cells.every((cell) => cell === code || isNumbers(cell.textContent))
    if (!code || !isListing) return null
    const parts = linesOf(code)
    const texts = parts.length > 0 ? parts : [code]
    lines.push(...texts.map((part) => (part.textContent ?? '').replace(/\n$/, '')))
  }
  return lines.length === 0 ? null : fenceCode(lines.join('\n'), languageOf(table))
}

const codeCell = /(?:^|[\s-])code(?:$|\s)/

export function isNumbers(text: string | null): boolean {
  return /^[\d\s]*$/.test(text ?? '')
}

/** Returns the outermost elements that a highlighter puts around each line. */
function linesOf(pre: HtmlElement): HtmlElement[] {
  const lines = new Set(
    pre.querySelectorAll('.line, .token-line, .ec-line, .hljs-ln-code, [data-line], li'),
  )
  return [...lines].filter((line) => {
    let around = line.parentNode
    while (around && around !== pre && !lines.has(around)) around = around.parentNode
    return around === pre
  })
}

const languageClass =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s*)([\w+#.-]{1,30})(?=\s|$|;)/
const noLanguage = /^(?:default|none|text|plaintext|notranslate|no-?highlight)$/

/**
 * Returns the language of a listing. It is an attribute or class of the `code`, of the `pre`, of
 * one of two elements around them, or of the parent of a line number table.
 */
function languageOf(pre: HtmlElement): string {
  const around = pre.closest('.highlighttable')?.parentNode
  const boxes = [pre.querySelector('code'), pre, pre.parentNode, pre.parentNode?.parentNode, around]
  for (const box of boxes) {
    const attribute = box?.getAttribute?.('data-language') ?? box?.getAttribute?.('data-lang')
    const language = attribute ?? languageClass.exec(box?.getAttribute?.('class') ?? '')?.[1] ?? ''
    const isName = /^[\w+#.-]{1,30}$/.test(language) && !noLanguage.test(language)
    if (isName) return language.toLowerCase()
  }
  return ''
}
