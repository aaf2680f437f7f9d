import { expect, test } from 'bun:test'
import { parseHtml } from '../../../src/page/html/html.ts'

const rest = '<p>Text of the page.</p>'

/** Nothing is left of an element but what stands beside it. */
const gone = (element: string) =>
  expect(parseHtml(`<main>${element}${rest}</main>`, 'x.html').text).toBe('Text of the page.\n')

const kept = (element: string) =>
  expect(parseHtml(`<main>${element}${rest}</main>`, 'x.html').text).not.toBe('Text of the page.\n')

test('W-25: what is around the content is left out', () => {
  for (const name of ['nav', 'footer', 'header', 'aside', 'script', 'style', 'button', 'template']) {
    gone(`<${name}>x</${name}>`)
  }
  for (const role of ['navigation', 'banner', 'contentinfo', 'search', 'dialog']) {
    gone(`<div role="${role}">x</div>`)
  }
  for (const name of ['theme-doc-breadcrumbs', 'md-consent', 'a cookie-banner', 'cookieconsent b',
    'theme-edit-this-page', 'md-source-file', 'toc', 'article-header-buttons']) {
    gone(`<div class="${name}">x</div>`)
  }
  gone('<div id="site-cookie-banner">x</div>')
  gone('<div id="jb-print-toc">x</div>')
  gone('<div hidden>x</div>')
})

test('what only looks like it stays', () => {
  kept('<div class="tocsin feedback-loop">x</div>')
  kept('<div role="tabpanel" hidden>x</div>')
  kept('<aside class="admonition note">x</aside>')
  kept('<header><h1>x</h1></header>')
  kept('<p id="cookies" class="cookies">x</p>')
})

test('the language over code of VitePress goes, a word of that class elsewhere stays', () => {
  gone('<div class="language-js"><span class="lang">js</span></div>')
  kept('<p><span class="lang">js</span></p>')
})
