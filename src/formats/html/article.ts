import { isNumbers } from './html-code.ts'
import { wordSet } from '../../document/word-set.ts'
/** The used part of `Element`. The DOM's own types would conflict with Bun's globals. */
export type HtmlElement = {
  readonly nodeName: string
  readonly parentNode: HtmlElement | null
  readonly ownerDocument: { createElement(name: string): HtmlElement }
  /** 1 for an element, 3 for text. */
  readonly nodeType: number
  readonly childNodes: Iterable<HtmlElement>
  readonly children: Iterable<HtmlElement>
  textContent: string | null
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  matches(selector: string): boolean
  closest(selector: string): HtmlElement | null
  querySelector(selector: string): HtmlElement | null
  querySelectorAll(selector: string): Iterable<HtmlElement>
  insertBefore(child: HtmlElement, before: HtmlElement | null): void
  replaceWith(...elements: (HtmlElement | string)[]): void
  remove(): void
}

/**
 * Finds the element with a page's documentation, or returns null. Removes all other parts of the
 * site from it: navigation, banners, permalinks, line numbers and edit links.
 */
export function findArticle(root: HtmlElement): HtmlElement | null {
  for (const [element, tabs] of clean(root)) labelTabs(element, tabs)
  return mainElement(root)
}

/**
 * Removes noise in one walk from the top. Avoids recursion, because broken pages can have thousands
 * of nested elements. Returns the tab sets.
 */
function clean(root: HtmlElement): [HtmlElement, Tabs][] {
  const titled = ancestorsOf(root.querySelectorAll('h1'))
  const sets: [HtmlElement, Tabs][] = []
  const open = [root]
  for (let element = open.pop(); element; element = open.pop()) {
    for (const child of [...element.children]) {
      const className = child.getAttribute('class') ?? ''
      if (isNoise(child, className) && !shouldKeep(child, titled)) child.remove()
      else if (child.nodeName === 'A' && isSiteLink(child, className)) child.remove()
      else {
        open.push(child)
        const tabs = tabSets.find(({ set }) => className.includes(set))
        if (tabs && ` ${className} `.includes(` ${tabs.set} `)) sets.push([child, tabs])
      }
    }
  }
  return sets
}

/**
 * True for elements that look like noise but must stay, such as a note or the header with the h1.
 */
function shouldKeep(element: HtmlElement, titled: Set<HtmlElement>): boolean {
  if (element.nodeName === 'HEADER') return titled.has(element)
  const name = element.nodeName === 'ASIDE' ? (element.getAttribute('class') ?? '') : ''
  return /note|admonition|aside|callout/.test(name)
}

/**
 * Returns all ancestors of the elements. `header:has(h1)` would search nested headers repeatedly.
 */
export function ancestorsOf(elements: Iterable<HtmlElement>): Set<HtmlElement> {
  const boxes = new Set<HtmlElement>()
  for (const element of elements) {
    let box = element.parentNode
    for (; box && !boxes.has(box); box = box.parentNode) boxes.add(box)
  }
  return boxes
}

const siteLinkText = new RegExp(
  '^(?:[#¶§◆🔗\\u200b]?' +
    '|(?:edit|view|improve|suggest|show)\\b.{0,20}\\b(?:page|source|git\\w+|edits))$',
  'iu',
)

function isSiteLink(link: HtmlElement, className: string): boolean {
  // Unclosed links nest, so the text of a link could include all later links.
  if (link.querySelector('a')) return false
  const text = (link.textContent ?? '').trim()
  // rustdoc links each item to its source code.
  if (className.split(' ').includes('src') && /^source$/i.test(text)) return true
  if (text.length > 60 || !siteLinkText.test(text)) return false
  return text !== '' || !link.querySelector('img')
}

/**
 * Selectors for the main element, most specific first. The first match with enough text is used.
 */
const mainSelectors = [
  '.md-content__inner',
  '.theme-doc-markdown',
  '.vp-doc',
  '[itemprop=articleBody]',
  'article[role=main]',
  '[role=main] .body',
  '.body[role=main]',
  '[role=main]',
  '.markdown-body',
  'main article',
  'main',
  'article',
  '#content',
]

function mainElement(root: HtmlElement): HtmlElement | null {
  const body = root.querySelector('body') ?? root
  const outer = root.querySelector('[role=main], main') ?? body
  const least = textLength(outer) / 2
  for (const selector of mainSelectors) {
    const element = root.querySelector(selector)
    // Several articles in one main element are teasers, and the first one is not the page.
    if (element && textLength(element) > least) return element
  }
  root.querySelector('head')?.remove()
  return textLength(outer) > 0 ? outer : textLength(root) > 0 ? root : null
}

function textLength(element: HtmlElement): number {
  return (element.textContent ?? '').trim().length
}

/** The markup of a site generator for tabs: `set` is a class, `label` and `panel` are selectors. */
type Tabs = { set: string; label: string; panel: string }

/** Known tab sets. Labels and panels are both two levels below the set. */
const tabSets: Tabs[] = [
  { set: 'tabbed-set', label: '.tabbed-labels > label', panel: '.tabbed-content > .tabbed-block' },
  { set: 'vp-code-group', label: '.tabs > label', panel: '.blocks > *' },
  { set: 'tabs-container', label: '[role=tab]', panel: '[role=tabpanel]' },
]

function labelTabs(tabs: HtmlElement, { label, panel }: Tabs): void {
  // Searching all descendants would be quadratic, because tab sets nest.
  const parts = [...tabs.children].flatMap((group) => [...group.children])
  const panels = parts.filter((part) => part.matches(panel))
  for (const [index, name] of parts.filter((part) => part.matches(label)).entries()) {
    const into = panels[index]
    if (!into) continue
    const title = into.ownerDocument.createElement('p')
    title.textContent = `${(name.textContent ?? '').trim()}:`
    // In VitePress, the panel is the code itself, so the title goes before the panel.
    into.parentNode?.insertBefore(title, into)
    name.remove()
  }
}

/**
 * True for elements outside the documentation: navigation, banners, permalinks, line numbers and
 * edit links. Uses no selectors, because it runs for every element of a page; the caller passes the
 * class attribute.
 */
function isNoise(element: HtmlElement, className: string): boolean {
  if (noiseNames.has(element.nodeName)) return true
  const role = element.getAttribute('role')
  if (role !== null && noiseRoles.has(role)) return true
  if (element.getAttribute('hidden') !== null && role !== 'tabpanel') return true
  if (className !== '' && hasNoiseClass(className, element)) return true
  const id = element.getAttribute('id')
  return id !== null && noiseIds.test(id)
}

const noiseNames = wordSet(`
  SCRIPT STYLE NOSCRIPT TEMPLATE SVG svg IFRAME CANVAS OBJECT EMBED BUTTON SELECT DIALOG NAV FOOTER
  HEADER ASIDE
`)

const noiseRoles = new Set(['navigation', 'banner', 'contentinfo', 'search', 'dialog'])

const noiseIds = new RegExp(
  'cookie-(?:banner|consent)|^jb-print-(?:docs-body|toc)$' +
    '|^(?:main-nav|nav-path|side-nav|navrow\\d|titlearea|MSearch\\w+)$',
)

const partOfClass = /breadcrumb|edit-this-page|cookie-?(?:banner|consent)/

// MathJax 2 has a script with the formula and separate elements that show it.
const noiseClasses = wordSet(`
  sr-only visually-hidden screen-reader-text pagination-nav prev-next-footer
  article-header-buttons bd-sidebar-secondary table-of-contents toc toctree-wrapper skip-link
  last-updated feedback footnote-backref viewcode-link md-consent md-source-file
  md-content__button navheader navfooter NAVHEADER NAVFOOTER topNav bottomNav subNav sub-nav
  skipNav skip-nav nav-panel rustdoc-toolbar view-source-button headerlink header-anchor hash-link
  anchor-link line-numbers-wrapper MathJax_Preview MathJax_Display MathJax_SVG MathJax_CHTML
  copybtn permalink
`)

/** Classes of line numbers. */
const numberClass =
  /(?:^|\s)(?:ln|lnt|lntd|gutter|lineno[sd]?\S*|\S*(?:line-?number|-ln-number)s?|blob-num)(?:\s|$)/i

function hasNoiseClass(name: string, element: HtmlElement): boolean {
  if (partOfClass.test(name)) return true
  const classes = name.split(/\s+/)
  if (classes.some((part) => noiseClasses.has(part))) return true
  if (classes[0] === 'MathJax' && element.nodeName === 'SPAN') return true
  if (numberClass.test(name) && isNumbers(element.textContent)) return true
  // VitePress shows the language above the code.
  const around = element.parentNode
  return (
    classes.includes('lang') &&
    around?.nodeName === 'DIV' &&
    (around.getAttribute('class') ?? '').includes('language-')
  )
}
