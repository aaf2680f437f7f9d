/** What is used of a DOM element; the DOM's own types would make Bun's globals ambiguous. */
export type HtmlElement = {
  readonly nodeName: string
  readonly parentNode: HtmlElement | null
  readonly ownerDocument: { createElement(name: string): HtmlElement }
  /** 1: element, 3: text. */
  readonly nodeType: number
  readonly childNodes: Iterable<HtmlElement>
  readonly children: Iterable<HtmlElement>
  textContent: string | null
  getAttribute(name: string): string | null
  matches(selector: string): boolean
  closest(selector: string): HtmlElement | null
  querySelector(selector: string): HtmlElement | null
  querySelectorAll(selector: string): Iterable<HtmlElement>
  insertBefore(child: HtmlElement, before: HtmlElement | null): void
  replaceWith(...elements: (HtmlElement | string)[]): void
  remove(): void
}

/**
 * The element that holds the documentation of a page, cleaned in place of what surrounds it on
 * a site: navigation, banners, permalinks, line numbers, edit links. null where nothing is left.
 */
export function article(root: HtmlElement): HtmlElement | null {
  for (const element of root.querySelectorAll(noise)) {
    if (!element.matches(kept)) element.remove()
  }
  for (const link of root.querySelectorAll('a')) {
    if (isSiteLink(link)) link.remove()
  }
  for (const tabs of tabSets) labelTabs(root, tabs)
  return mainElement(root)
}

const noise = [
  // Never content.
  'script, style, noscript, template, svg, iframe, canvas, object, embed, button, select, dialog',
  '[hidden]:not([role=tabpanel]), .sr-only, .visually-hidden, .screen-reader-text',
  // Around the content.
  'nav, footer, header, aside, [role=navigation], [role=banner], [role=contentinfo]',
  '[role=search], [role=dialog], [class*=breadcrumb], .pagination-nav, .prev-next-footer',
  '.table-of-contents, .toc, .toctree-wrapper, .skip-link, .last-updated, .feedback',
  '[class*=edit-this-page]',
  '[class*=cookie-banner], [class*=cookie-consent], [class*=cookieconsent], [id*=cookie-banner]',
  '[id*=cookie-consent], .md-consent, .md-source-file, .md-content__button',
  // Within headings and code.
  '.headerlink, .header-anchor, .hash-link, .anchor-link, .linenos, .linenodiv, .lineno',
  '.line-numbers-wrapper, .copybtn, div[class*=language-] > .lang',
].join(', ')

/** What `noise` also matches and must stay: notes and footnotes, and an article's own header. */
const kept = [
  'aside[class*=footnote], aside[class*=admonition], aside[class*=aside], aside[class*=callout]',
  'aside[class*=note], header:has(h1)',
].join(', ')

const siteLinkText =
  /^(?:[#¶§🔗\u200b]?|(?:edit|view|improve|suggest|show)\b.{0,20}\b(?:page|source|git\w+|edits))$/iu

function isSiteLink(link: HtmlElement): boolean {
  const text = (link.textContent ?? '').trim()
  if (text.length > 60 || !siteLinkText.test(text)) return false
  return text !== '' || !link.querySelector('img')
}

/** From the most telling to the least; the first that holds most of the page's text is taken. */
const mainSelectors = [
  '.md-content__inner', '.theme-doc-markdown', '.vp-doc', '[itemprop=articleBody]',
  'article[role=main]', '[role=main] .body', '.body[role=main]', '[role=main]',
  '.markdown-body', 'main article', 'main', 'article', '#content',
]

function mainElement(root: HtmlElement): HtmlElement | null {
  const body = root.querySelector('body') ?? root
  const outer = root.querySelector('[role=main], main') ?? body
  const least = textLength(outer) / 2
  for (const selector of mainSelectors) {
    const found = root.querySelector(selector)
    // Several articles under one main are a list of teasers, of which the first is not the page.
    if (found && textLength(found) > least) return found
  }
  root.querySelector('head')?.remove()
  return textLength(outer) > 0 ? outer : textLength(root) > 0 ? root : null
}

function textLength(element: HtmlElement): number {
  return (element.textContent ?? '').trim().length
}

type Tabs = { set: string; label: string; panel: string }

/** Tabs carry their names apart from their panels. */
const tabSets: Tabs[] = [
  { set: '.tabbed-set', label: '.tabbed-labels > label', panel: '.tabbed-content > .tabbed-block' },
  { set: '.vp-code-group', label: '.tabs > label', panel: '.blocks > *' },
  { set: '.tabs-container', label: '[role=tab]', panel: '[role=tabpanel]' },
]

function labelTabs(root: HtmlElement, { set, label, panel }: Tabs): void {
  for (const tabs of root.querySelectorAll(set)) {
    const panels = [...tabs.querySelectorAll(panel)]
    for (const [index, name] of [...tabs.querySelectorAll(label)].entries()) {
      const into = panels[index]
      if (!into) continue
      const title = into.ownerDocument.createElement('p')
      title.textContent = `${(name.textContent ?? '').trim()}:`
      // Before the panel: VitePress' panels are the code itself.
      into.parentNode?.insertBefore(title, into)
      name.remove()
    }
  }
}
