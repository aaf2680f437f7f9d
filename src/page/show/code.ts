import { titleClass } from './notes.ts'
import { escapeHtml } from './safe-html.ts'

/**
 * The HTML of a fence that is a MyST directive, not code: a list of pages, a picture, or a file
 * that could not be included. Null for code.
 */
export function renderDirective(opening: string, content: string): string | null {
  const [, name, argument = ''] = directive.exec(opening.trim()) ?? []
  if (name === undefined) return null
  const lines = content.split('\n').map((line) => line.trim())
  const body = lines.filter((line) => line !== '' && !option.test(line))
  if (name === 'toctree') return listOf(body)
  if (name !== 'figure' && name !== 'image') {
    return `<p><code>${escapeHtml(`${name}: ${argument}`)}</code></p>\n`
  }
  const alt = lines.map((line) => /^:alt:\s+(.*)$/.exec(line)?.[1]).find(Boolean)
  const shown = alt ?? argument.replace(/^.*\//, '')
  return `<p><img alt="${escapeHtml(shown)}"></p>\n<p>${escapeHtml(body.join(' '))}</p>\n`
}

const directive = /^\{(toctree|figure|image|literalinclude|include)\}[ \t]*(.*)$/s
const option = /^:[\w-]+:(?:\s|$)|^---$|^[\w-]+: /

/** If a fence names its file, `title="a.js"`, puts its code into a box with that name. */
export function addFileName(opening: string, code: string): string {
  const name = fileName.exec(opening)?.[3]
  if (name === undefined) return code
  return `<div class="tab"><p class="${titleClass}">${escapeHtml(name)}</p>\n${code}</div>\n`
}

const fileName = /\s(title|filename)=(["'])([^"']{1,200})\2/

/** A list of links from the lines of a `toctree`: `page` or `Title <page>`. */
function listOf(pages: readonly string[]): string {
  const items = pages.map((line) => {
    const [, title = line, page = line] = /^(.*\S)\s+<([^<>]+)>$/.exec(line) ?? []
    return `<li><a href="${escapeHtml(page)}">${escapeHtml(title)}</a></li>`
  })
  return `<ul>${items.join('')}</ul>\n`
}

/** The text of a terminal session. Removes the HTML tags that colour it. */
export function terminalText(content: string, language: string): string {
  if (!/^(?:console|terminal|termy)$/i.test(language) || !/<\/(?:font|span)>/.test(content)) {
    return content
  }
  return content
    .replace(/<\/?(?:font|span|b|u|i)\b[^<>]*>/g, '')
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name]!)
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
}

/** Marks up callouts, such as `// <1>` at the end of a line of AsciiDoc code. */
export function markCallouts(shown: string): string {
  if (!shown.includes('&lt;')) return shown
  return shown.replace(callouts, (whole) =>
    whole.replace(/&lt;(\d{1,2})&gt;/g, '<span class="callout">$1</span>'),
  )
}

/** Matches all callouts at the end of a line at once, so that each is read only once. */
const callouts = new RegExp(
  '(?<=[ \\t])(?<!&lt;\\d{1,2}&gt;[ \\t])(?:&lt;\\d{1,2}&gt;[ \\t]?)+' +
    '(?=(?:</span>)*(?:\\n|$))',
  'g',
)
