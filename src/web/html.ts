import { escaped } from '../page/show/safe-html.ts'

/** Markup that is safe to send: only `html` and `alreadySafe` give it. */
export type Html = { readonly [markup]: string }

const markup = Symbol('markup')

/** What may stand in `html`: text is escaped, and nothing stands for what is not there. */
export type Part = Html | string | number | false | null | undefined | readonly Part[]

/** html`<p>${text}</p>`: markup of ours around values of strangers. Values stand in quotes. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const pieces = strings.map((piece, i) => (i === 0 ? piece : textOf(parts[i - 1]) + piece))
  return { [markup]: pieces.join('') }
}

/** Markup that `safeHtml` or `pageHtml` wrote, as it is. */
export function alreadySafe(text: string): Html {
  return { [markup]: text }
}

export function htmlText(made: Html): string {
  return made[markup]
}

function textOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number') return String(part)
  if (Array.isArray(part)) return part.map(textOf).join('')
  return (part as Html)[markup]
}
