import { escaped } from './safe-html.ts'

/**
 * Directives of MyST that look like code and are none: lists of pages, pictures, and files that
 * could not be included; null: it is code.
 */
export function directiveHtml(opening: string, content: string): string | null {
  const [, name, argument = ''] = directive.exec(opening.trim()) ?? []
  if (name === undefined) return null
  const lines = content.split('\n').map((line) => line.trim())
  const body = lines.filter((line) => line !== '' && !option.test(line))
  if (name === 'toctree') return listOf(body)
  if (name !== 'figure' && name !== 'image') {
    return `<p><code>${escaped(`${name}: ${argument}`)}</code></p>\n`
  }
  const alt = lines.map((line) => /^:alt:\s+(.*)$/.exec(line)?.[1]).find(Boolean)
  const shown = alt ?? argument.replace(/^.*\//, '')
  return `<p><img alt="${escaped(shown)}"></p>\n<p>${escaped(body.join(' '))}</p>\n`
}

const directive = /^\{(toctree|figure|image|literalinclude|include)\}[ \t]*(.*)$/s
const option = /^:[\w-]+:(?:\s|$)|^---$|^[\w-]+: /

/** `page` and `Title <page>`. */
function listOf(pages: readonly string[]): string {
  const items = pages.map((line) => {
    const [, title = line, page = line] = /^(.*\S)\s+<([^<>]+)>$/.exec(line) ?? []
    return `<li><a href="${escaped(page)}">${escaped(title)}</a></li>`
  })
  return `<ul>${items.join('')}</ul>\n`
}

/** What a terminal shows may be written as HTML, in colours: the text of it. */
export function typed(content: string, language: string): string {
  if (!/^(?:console|terminal|termy)$/i.test(language) || !/<\/(?:font|span)>/.test(content)) {
    return content
  }
  return content.replace(/<\/?(?:font|span|b|u|i)\b[^<>]*>/g, '')
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name]!)
}

const entities: Readonly<Record<string, string>> =
  { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

/** `// <1>` at the end of a line of AsciiDoc, of which the list below the code speaks. */
export function withCallouts(shown: string): string {
  if (!shown.includes('&lt;')) return shown
  return shown.replace(callouts, (whole) =>
    whole.replace(/&lt;(\d{1,2})&gt;/g, '<span class="callout">$1</span>'))
}

/** All at the end of a line at once: those behind the first are not looked at again. */
const callouts = new RegExp(
  '(?<=[ \\t])(?<!&lt;\\d{1,2}&gt;[ \\t])(?:&lt;\\d{1,2}&gt;[ \\t]?)+'
  + '(?=(?:</span>)*(?:\\n|$))', 'g')
