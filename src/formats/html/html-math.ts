import { wordMap } from '../../document/word-set.ts'
import type { HtmlElement } from './article.ts'

/** True for the element around a whole formula in KaTeX, MathJax 3 or plain MathML. */
export function isMath(element: HtmlElement, className: string): boolean {
  const name = element.nodeName.toUpperCase()
  return name === 'MATH' || name === 'MJX-CONTAINER' || /(?:^|\s)katex(?:\s|$)/.test(className)
}

/** Converts a formula to `$n+1$` or `$$n+1$$`, preferably from TeX source on the page. */
export function mathToMarkdown(element: HtmlElement): string {
  const isMathElement = element.nodeName.toUpperCase() === 'MATH'
  const math = isMathElement ? element : element.querySelector('math')
  if (math === null) return (element.textContent ?? '').replace(/\s+/g, ' ')
  const source = math.querySelector('annotation[encoding="application/x-tex"]')?.textContent
  const tex = (source ?? math.getAttribute('alttext') ?? linear(math, 0))
    .replace(/\s+/g, ' ')
    .trim()
  const isBlock =
    math.getAttribute('display') === 'block' ||
    element.getAttribute('display') === 'true' ||
    element.closest('.katex-display') !== null
  return tex === '' ? '' : texSpan(tex, isBlock)
}

/** True for the picture of a formula with a TeX description, as in wikis. */
export function isMathImage(className: string): boolean {
  return /(?:^|\s)(?:mwe-math|latex|tex)(?:[\s-]|$)/.test(className)
}

/** True if a superscript is the exponent of the number, variable or bracket before it. */
export function isPower(before: string, text: string): boolean {
  const isBase = /(?:[\d)]|(?<![\p{L}_])\p{L}\*{0,2})$/u.test(before)
  return isBase && /^[-+−]?(?:\d+|[\p{L}])(?:[-+−/*]\w+)*$/u.test(text)
}

/** Converts the description of a formula's picture: `{\displaystyle x}` becomes `$x$`. */
export function imageMath(description: string): string {
  return texSpan(description.replace(/^\{\\(?:display|text)style (.*)\}$/, '$1'), false)
}

/** Replaces a MathJax 2 script with the TeX in it. */
export function replaceMathScript(script: string): string | null {
  const match =
    /^<script[^>]{0,200}\btype\s*=\s*["']?math\/tex([^"'>]*)["']?[^>]*>([^]*?)<\/script/i.exec(
      script,
    )
  if (match === null) return null
  const tex = (match[2] ?? '').replace(/<!\[CDATA\[|\]\]>/g, '').replace(/\s+/g, ' ')
  const text = texSpan(tex.trim(), /mode\s*=\s*display/i.test(match[1] ?? ''))
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function texSpan(tex: string, isBlock: boolean): string {
  return isBlock ? `$$${tex}$$` : `$${tex}$`
}

/** Deeper formulas keep only their characters. */
const depthLimit = 50

/** Writes MathML on one line with TeX marks. */
function linear(element: HtmlElement, depth: number): string {
  if (element.nodeType === 3) return (element.textContent ?? '').trim()
  if (depth > depthLimit) return element.textContent ?? ''
  const parts = [...element.childNodes].map((child) => linear(child, depth + 1))
  const children = parts.filter((part) => part !== '')
  const [first = '', second = '', third = ''] = children.map(group)
  const name = element.nodeName.toLowerCase()
  const sign = signs.get(name)
  if (sign !== undefined) return first + sign + second
  if (name === 'msubsup' || name === 'munderover') return `${first}_${second}^${third}`
  if (name === 'msqrt') return `\\sqrt{${children.join('')}}`
  if (name === 'mroot') return `\\sqrt[${second}]{${first}}`
  if (name === 'mtr') return `${children.join(' & ')} \\\\ `
  return name.startsWith('annotation') ? '' : children.join('')
}

/** The signs between the two parts of an element. */
const signs = wordMap('mfrac:/ msup:^ mover:^ msub:_ munder:_')

function group(text: string): string {
  return text.length > 1 && !/^[\w.]+$|^\\\w+$/.test(text) ? `{${text}}` : text
}
