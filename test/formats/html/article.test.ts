import { expect, test } from 'bun:test'
import { findArticle } from '../../../src/formats/html/article.ts'
import { htmlRoot } from '../../support/pages/html-element.ts'
import { parseHtml } from '../../../src/formats/html/html.ts'

const textOf = (body: string) =>
  findArticle(htmlRoot(body))?.textContent?.replace(/\s+/g, ' ').trim()

const check = (body: string, expected: string | undefined) => expect(textOf(body)).toBe(expected)

test('picks the most specific main element that has most of the text', () => {
  const long = 'word '.repeat(20).trim()
  check(`<div>around</div><main>m <article>${long}</article></main>`, long)
  check(`<main>m <div class="vp-doc">${long}</div></main><p>${long} ${long}</p>`, long)
  check(`<div id="content">${long}</div><p>rest</p>`, long)
  // The articles are teasers, so none of them is the page.
  check('<main><article>one two</article><article>three four</article></main>', 'one twothree four')
  check(`<article>short</article><p>${long}</p>`, `short${long}`)
})

test('uses the whole body if no element is marked as main', () => {
  check('a <p>b</p>', 'a b')
  const root = htmlRoot('')
  expect(findArticle(root)).toBeNull()
  check('<main> </main>', undefined)
})

test('ignores text outside main, even if it is longer', () => {
  check(`<p>${'x '.repeat(500)}</p><main>the page</main>`, 'the page')
})

test('removes headers, except one that contains the title at any depth', () => {
  check('<header>site</header><main><header><div><h1>A</h1></div></header>b</main>', 'Ab')
  check('<header><nav>n</nav><h1>A</h1></header>b', 'Ab')
})

test('keeps an aside that is a note, and removes other asides', () => {
  check('a<aside class="admonition">b</aside><aside class="note">c</aside>', 'abc')
  check('a<aside class="starlight-aside">b</aside>', 'ab')
  check('a<aside>b</aside><aside class="ad">c</aside>', 'a')
})

test('removes permalinks, empty anchors and edit links', () => {
  for (const text of [
    '#',
    '¶',
    '§',
    '🔗',
    '\u200b',
    '',
    ' ',
    'Edit this page',
    'edit on GitHub',
    'View page source',
    'Suggest edits',
  ])
    check(`<p>a<a href="x">${text}</a></p>`, 'a')
})

test('keeps links whose text only begins like an edit link', () => {
  for (const text of [
    '##',
    'Edit',
    'Edit the list of pages by hand',
    'Show me',
    'a # b',
    `View ${'x'.repeat(60)} page`,
  ])
    check(`<p>a <a href="x">${text}</a></p>`, `a ${text}`)
  expect(
    findArticle(htmlRoot('a<a href="x"><img src="y"></a>'))!.querySelector('img'),
  ).not.toBeNull()
  check('a <a href="x">b <a href="y">#</a></a>', 'a b')
})

test('removes noise together with its content', () => {
  check('a<nav>b<main>c</main></nav><div hidden>d<p>e</p></div>', 'a')
})

test('puts the name of a tab before its panel (MkDocs, VitePress, Docusaurus)', () => {
  check(
    '<div class="tabbed-set a"><div class="tabbed-labels"><label>npm</label><label> yarn </label>' +
      '</div><div class="tabbed-content"><div class="tabbed-block">i </div>' +
      '<div class="tabbed-block">add</div></div></div>',
    'npm:i yarn:add',
  )
  check(
    '<div class="vp-code-group"><div class="tabs"><input><label>a</label><label>b</label></div>' +
      '<div class="blocks"><pre>1 </pre><pre>2</pre></div></div>',
    'a:1 b:2',
  )
  check(
    '<div class="tabs-container"><ul><li role="tab">a</li></ul><div>' +
      '<div role="tabpanel" hidden>1</div></div></div>',
    'a:1',
  )
})

test('keeps the name of a tab without a panel, and treats tabs inside a panel as a separate set', () => {
  const set = (labels: string, panels: string) =>
    '<div class="tabbed-set"><div class="tabbed-labels">' +
    `${labels}</div><div class="tabbed-content">${panels}</div></div>`
  const panel = (content: string) => `<div class="tabbed-block">${content}</div>`
  check(set('<label>a </label><label>b </label>', panel('1')), 'b a:1')
  const inner = set('<label>in</label>', panel('2'))
  check(set('<label>out</label>', panel(inner)), 'out:in:2')
  check(
    '<div class="my-tabbed-set"><div class="tabbed-labels"><label>a</label></div>' +
      `<div class="tabbed-content">${panel('1')}</div></div>`,
    'a1',
  )
})

test('cleans a page of thousands of nested elements', () => {
  check(`${'<div>'.repeat(20_000)}a<nav>b</nav>`, 'a')
})

const rest = '<p>Text of the page.</p>'

/** Expects the element to leave no text. */
const gone = (element: string) =>
  expect(parseHtml(`<main>${element}${rest}</main>`, 'x.html').text).toBe('Text of the page.\n')

const kept = (element: string) =>
  expect(parseHtml(`<main>${element}${rest}</main>`, 'x.html').text).not.toBe('Text of the page.\n')

test('W-25: removes elements around the content', () => {
  for (const name of [
    'nav',
    'footer',
    'header',
    'aside',
    'script',
    'style',
    'button',
    'template',
  ]) {
    gone(`<${name}>x</${name}>`)
  }
  for (const role of ['navigation', 'banner', 'contentinfo', 'search', 'dialog']) {
    gone(`<div role="${role}">x</div>`)
  }
  for (const name of [
    'theme-doc-breadcrumbs',
    'md-consent',
    'a cookie-banner',
    'cookieconsent b',
    'theme-edit-this-page',
    'md-source-file',
    'toc',
    'article-header-buttons',
  ]) {
    gone(`<div class="${name}">x</div>`)
  }
  gone('<div id="site-cookie-banner">x</div>')
  gone('<div id="jb-print-toc">x</div>')
  gone('<div hidden>x</div>')
})

test('keeps elements that only resemble noise', () => {
  kept('<div class="tocsin feedback-loop">x</div>')
  kept('<div role="tabpanel" hidden>x</div>')
  kept('<aside class="admonition note">x</aside>')
  kept('<header><h1>x</h1></header>')
  kept('<p id="cookies" class="cookies">x</p>')
})

test('removes the language label above VitePress code, and keeps that class elsewhere', () => {
  gone('<div class="language-js"><span class="lang">js</span></div>')
  kept('<p><span class="lang">js</span></p>')
})
