import hljs from '@highlightjs/cdn-assets/es/highlight.min.js'
import dockerfile from '@highlightjs/cdn-assets/es/languages/dockerfile.min.js'
import elixir from '@highlightjs/cdn-assets/es/languages/elixir.min.js'
import http from '@highlightjs/cdn-assets/es/languages/http.min.js'
import nginx from '@highlightjs/cdn-assets/es/languages/nginx.min.js'
import powershell from '@highlightjs/cdn-assets/es/languages/powershell.min.js'
import scala from '@highlightjs/cdn-assets/es/languages/scala.min.js'
import { escapeHtml } from './safe-html.ts'

/** Languages that `highlight.min.js` lacks; it contains the forty most common ones. */
const languages = { dockerfile, elixir, http, nginx, powershell, scala }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

/** Maximum length of highlighted code, in characters, because highlighting is slow. */
const longest = 20_000

/** Language names that highlight.js does not know. */
const aliases: Readonly<Record<string, string>> = {
  py3: 'python',
  python3: 'python',
  ipython: 'python',
  pyi: 'python',
  mdx: 'xml',
  vue: 'xml',
  svelte: 'xml',
}

/** Highlights code with the classes of highlight.js. Never guesses the language. */
export function highlight(code: string, language: string): string {
  const lowerCase = language.toLowerCase()
  const name = aliases[lowerCase] ?? lowerCase
  if (code.length > longest || hljs.getLanguage(name) === undefined) return escapeHtml(code)
  return hljs.highlight(code, { language: name, ignoreIllegals: true }).value
}
