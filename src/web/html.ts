import { escapeHtml } from '../page/show/safe-html.ts'

/** Markup that is safe to send: only `html` and `alreadySafe` make it. */
export type Html = { readonly [markup]: string }

const markup = Symbol('markup')

/** A value in an `html` template: text is escaped; null, undefined and false become nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[]

/** Tag for templates: html`<p>${text}</p>`. Values in attributes have to be in quotes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const pieces = strings.map((piece, i) => (i === 0 ? piece : textOf(parts[i - 1]) + piece))
  return { [markup]: pieces.join('') }
}

/** Takes markup that `safeHtml` or `pageHtml` wrote, without escaping it again. */
export function alreadySafe(text: string): Html {
  return { [markup]: text }
}

export function htmlText(made: Html): string {
  return made[markup]
}

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  if (Array.isArray(part)) return part.map(textOf).join('')
  return (part as Html)[markup]
}
