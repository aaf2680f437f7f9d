import { decodeEntities } from '../../document/inline.ts'
import { wordMap } from '../../document/word-set.ts'
import { titleClass } from './notes.ts'
import { escapeHtml } from './safe-html.ts'

/** Puts code into a box with its file name if the fence has one, such as `title="a.js"`. */
export function addFileName(opening: string, code: string): string {
  const name = fileName.exec(opening)?.[3]
  if (name === undefined) return code
  return `<div class="tab"><p class="${titleClass}">${escapeHtml(name)}</p>\n${code}</div>\n`
}

const fileName = /\s(title|filename)=(["'])([^"']{1,200})\2/

/** Returns the text of a terminal session without HTML colour tags. */
export function terminalText(content: string, language: string): string {
  if (!/^(?:console|terminal|termy)$/i.test(language) || !/<\/(?:font|span)>/.test(content)) {
    return content
  }
  return decodeEntities(content.replace(/<\/?(?:font|span|b|u|i)\b[^<>]*>/g, ''))
}

/** Marks up callouts, such as `// <1>` at the end of a line of AsciiDoc code. */
export function markCallouts(html: string): string {
  if (!html.includes('&lt;')) return html
  return html.replace(callouts, (whole) =>
    whole.replace(/&lt;(\d{1,2})&gt;/g, '<span class="callout">$1</span>'),
  )
}

/** Matches all callouts at the end of a line at once, which reads each only once. */
const callouts = new RegExp(
  '(?<=[ \\t])(?<!&lt;\\d{1,2}&gt;[ \\t])(?:&lt;\\d{1,2}&gt;[ \\t]?)+' +
    '(?=(?:</span>)*(?:\\n|$))',
  'g',
)

import hljs from '@highlightjs/cdn-assets/es/highlight.min.js'
import dockerfile from '@highlightjs/cdn-assets/es/languages/dockerfile.min.js'
import elixir from '@highlightjs/cdn-assets/es/languages/elixir.min.js'
import http from '@highlightjs/cdn-assets/es/languages/http.min.js'
import nginx from '@highlightjs/cdn-assets/es/languages/nginx.min.js'
import powershell from '@highlightjs/cdn-assets/es/languages/powershell.min.js'
import scala from '@highlightjs/cdn-assets/es/languages/scala.min.js'

/** Languages to add to `highlight.min.js`, which contains the forty most common ones. */
const languages = { dockerfile, elixir, http, nginx, powershell, scala }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** Maximum length of highlighted code in characters. Highlighting is slow. */
const longest = 20_000

/** Language names that highlight.js does not know. */
const aliases = wordMap(
  'py3:python python3:python ipython:python pyi:python mdx:xml vue:xml svelte:xml',
)

/** Highlights code with the classes of highlight.js. Never guesses the language. */
export function highlight(code: string, language: string): string {
  const lowerCase = language.toLowerCase()
  const name = aliases.get(lowerCase) ?? lowerCase
  if (code.length > longest || hljs.getLanguage(name) === undefined) return escapeHtml(code)
  return hljs.highlight(code, { language: name, ignoreIllegals: true }).value
}
