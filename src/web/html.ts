import { escapeHtml } from '../page/show/safe-html.ts'

/** Markup that is safe to send. Only `html` and `trustedHtml` create it. */
export type Html = { readonly [markup]: string }

const markup = Symbol('markup')

/** A value in an `html` template. Text is escaped. Null, undefined and false become ''. */
export type Part = Html | string | number | false | null | undefined | readonly Part[]

/** A template tag, as in html`<p>${text}</p>`. Attribute values must be quoted. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const pieces = strings.map((piece, i) => (i === 0 ? piece : textOf(parts[i - 1]) + piece))
  return { [markup]: pieces.join('') }
}

/** Accepts the markup of `safeHtml` or `renderPageHtml` without escaping. */
export function trustedHtml(text: string): Html {
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
